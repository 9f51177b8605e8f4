"""The configuration file: its types, and a loader that reports everything that is wrong with it at once."""

from __future__ import annotations

from dealer_daemon.config.errors import ConfigError, ConfigErrors, report
from dealer_daemon.config.loader import calibrations_of, load_config, parse_config
from dealer_daemon.config.outline import TableOutline, tables_in
from dealer_daemon.config.types import (
    Config,
    DeviceConfig,
    MonitoringConfig,
    MqttConfig,
    ScreenConfig,
    StationConfig,
    TableConfig,
)

__all__ = [
    "Config",
    "ConfigError",
    "ConfigErrors",
    "DeviceConfig",
    "MonitoringConfig",
    "MqttConfig",
    "ScreenConfig",
    "StationConfig",
    "TableConfig",
    "TableOutline",
    "calibrations_of",
    "load_config",
    "parse_config",
    "report",
    "tables_in",
]
