"""Reads the configuration again while the station runs, and takes up what touches no round in play."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import structlog

from dealer_daemon.config import ConfigErrors
from dealer_daemon.mqtt.settings import broker_settings
from dealer_daemon.service.reload import Applied, NotTaken, Plan, Reloaded, plan
from dealer_drivers.secret_files import CredentialMissing

if TYPE_CHECKING:
    from dealer_daemon.station.station import Station

LOG_LEVEL = "station.log_level"


def reload(station: Station) -> Reloaded:
    """What became of it; also said in the log and to the service manager. Nothing that is wrong raises: the station
    goes on as it was."""
    if not station.tables or station.keeper.stops:
        return Reloaded(ok=False, errors=["the station has not taken up its tables yet, or gives them up: ask again"])
    station.notifier.reloading()
    answer = _reload(station)
    _say(answer)
    station.keeper.note = answer.summary
    station.keeper.show()
    station.notifier.ready()
    return answer


def _reload(station: Station) -> Reloaded:
    try:
        found = station.read()
    except ConfigErrors as errors:
        return Reloaded(ok=False, errors=[str(error) for error in errors.errors])
    todo = plan(station.config, found)
    try:
        _take_up(station, todo)
    except CredentialMissing as error:  # gone since it was looked at
        return Reloaded(ok=False, errors=[str(error)])
    applied, refused = list(todo.applied), list(todo.refused)
    if station.log_level_given and (level := [one for one in applied if one.key == LOG_LEVEL]):
        applied.remove(level[0])
        refused.append(NotTaken(LOG_LEVEL, "the station was started with --log-level, which counts until its end"))
    return Reloaded(ok=not refused, applied=applied, refused=refused)


def _take_up(station: Station, todo: Plan) -> None:
    from dealer_daemon.station.station import client_id

    config = todo.config
    credentials = {
        name: broker_settings(config.mqtt, client_id(config.station.site, table))
        for name, table in config.tables.items()
    }
    station.config = config
    if not station.log_level_given:
        logging.getLogger().setLevel(config.station.log_level.upper())
    station.retention.days = config.station.retention_days
    for name, parts in station.tables.items():
        parts.host.command_max_age_s = config.mqtt.command_max_age_s
        parts.uplink.renew(credentials[name], config.mqtt.consumer_gone_s)
        for device in parts.devices.values():
            device.keep(config.station.flight_recorder_days, config.station.calibration_max_age_days)
    for name in todo.tables:
        station.tables[name].host.reconfigure(config.tables[name])


def _say(answer: Reloaded) -> None:
    log = structlog.get_logger()
    log.info("reloaded" if not answer.errors else "reload_refused", ok=answer.ok, detail=answer.summary)
    for error in answer.errors:
        log.error("configuration_wrong", detail=error)
    for applied in answer.applied:
        log.info("configuration_taken_up", key=applied.key, detail=_spoken(applied))
    for refused in answer.refused:
        log.warning("configuration_not_taken_up", key=refused.key, detail=refused.reason)


def _spoken(applied: Applied) -> str:
    return f"was {applied.was}, is {applied.now} from {applied.since} on"
