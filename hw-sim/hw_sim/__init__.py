"""Every device on the wire side, for tests and demonstrations.

``async with running("roulette", speed=50, seed=1) as sim:`` runs a scenario; a host opens ``sim.ports["wheel"]``.
"""

from hw_sim.scenario import Scenario, ScenarioError, load_scenario, parse_scenario, scenario_names
from hw_sim.simulation import Simulation, running

__all__ = ["Scenario", "ScenarioError", "Simulation", "load_scenario", "parse_scenario", "running", "scenario_names"]
