"""The synthetic sample of a forecast: labelled, reproducible from its script, and meteorologically
plausible."""

import sys

import netCDF4
import numpy as np
import pytest

from conftest import ROOT, SAMPLE

sys.path.insert(0, str(ROOT / "fixtures/forecasts"))
import make_sample  # noqa: E402

PLACES = {"Lisboa": (38.72, -9.14, 60.0), "Porto": (41.15, -8.61, 90.0), "Faro": (37.02, -7.93, 10.0), "Bragança": (41.8, -6.76, 690.0)}
NAMES = ["temperature", "humidity", "rain", "cloud", "along", "across", "pressure", "surface"]


def air(place, hours):
    """Evaluates the sample's formulas at a place: arrays over the hours by name, with wind speed
    and direction."""
    latitude, longitude, height = (np.array([[value]]) for value in PLACES[place])
    told = make_sample.weather(latitude, longitude, height, hours)
    values = {name: np.broadcast_to(one, (len(hours), 1, 1))[:, 0, 0] for name, one in zip(NAMES, told)}
    turn = make_sample.TURN
    east = values["along"] * np.cos(turn) - values["across"] * np.sin(turn)
    north = values["along"] * np.sin(turn) + values["across"] * np.cos(turn)
    return values | {"speed": np.hypot(east, north), "source": np.degrees(np.arctan2(-east, -north)) % 360}


def solar(place, hours):
    """Returns the local solar time, in hours, of times in hours of UTC."""
    return (hours + PLACES[place][1] / 15) % 24


@pytest.mark.parametrize("path", SAMPLE)
def test_the_files_match_the_script_and_are_labelled_synthetic(path):
    with netCDF4.Dataset(path) as file:
        assert "SYNTHETIC" in file.title and file.synthetic == "yes"
        told = make_sample.weather(*(file[name][:].data for name in ("XLAT", "XLONG", "HGT")), file["time"][:].data)
        wanted = dict(zip(("T2", "RH2", "RAIN", "CLOUD", "U10", "V10", "PMSL", "PSFC"), told))
        for name, scale in (("T2", 1), ("RH2", 1), ("RAIN", 1), ("CLOUD", 0.01), ("U10", 1), ("V10", 1), ("PMSL", 100), ("PSFC", 100)):
            shift = 273.15 if name == "T2" else 0
            difference = file[name][:].data - (wanted[name] * scale + shift)
            assert np.abs(difference).max() <= 0.51 * file[name].scale_factor + 1e-3, name


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("day", [0, 1])
def test_a_fair_day_is_warmest_in_mid_afternoon_and_coldest_at_sunrise(place, day):
    hours = day * 24 + np.arange(4, 24, 0.1)
    values = air(place, hours)
    sun = solar(place, hours)
    assert 13 <= sun[values["temperature"].argmax()] <= 15.5
    morning = hours < day * 24 + 12
    assert 5.5 <= sun[morning][values["temperature"][morning].argmin()] <= 7
    # The absolute humidity changes little in a day: relative humidity falls when temperature rises.
    assert np.corrcoef(values["temperature"], values["humidity"])[0, 1] < -0.8
    assert 12.5 <= sun[values["humidity"].argmin()] <= 16.5
    assert 13.5 <= sun[values["speed"].argmax()] <= 17, "the breeze"


def test_the_pressure_has_its_half_daily_tide():
    # Chapman and Lindzen: 1.16 hPa times the third power of the cosine of latitude, highest near 9:45 and 21:45.
    hours = np.arange(0, 168, 0.25)
    for place in PLACES:
        angle = 2 * np.pi * solar(place, hours) / 12
        pressure = air(place, hours)["pressure"]
        first, second = (2 * np.mean(pressure * wave(angle)) for wave in (np.cos, np.sin))
        highest = np.arctan2(second, first) / (2 * np.pi) * 12 % 12
        assert 9 <= highest <= 10.5, place
        assert 0.35 <= np.hypot(first, second) <= 0.75, place


@pytest.mark.parametrize("place", PLACES)
def test_the_front_changes_wind_pressure_and_rain(place):
    hours = np.arange(48, 144, 0.25)
    values = air(place, hours)
    wettest = values["rain"].argmax()
    assert values["rain"][wettest] > 1 and values["cloud"][wettest] > 90 and values["humidity"][wettest] > 90
    lowest = hours[values["pressure"].argmin()]
    assert abs(lowest - hours[wettest]) < 8
    before, after = hours < hours[wettest] - 4, hours > hours[wettest] + 8
    assert 195 <= values["source"][before].min() <= 240, "the wind does not back to the south-west"
    assert values["source"][after].min() >= 285, "the wind does not veer to the north-west"
    rate = np.diff(values["pressure"]) * 4
    assert rate[:wettest].min() > -2.5 and rate.max() < 2.5, "pressure change in hPa per hour is not plausible"
    dry = values["cloud"] < 30
    assert values["rain"][dry].max() == 0
    week = air(place, np.arange(0, 168.0))["rain"].sum()
    assert 5 < week < 40


def test_the_sample_repeats_each_week_without_a_step():
    for place in PLACES:
        this, next_week = (air(place, np.arange(0, 12, 0.5) + shift) for shift in (0, 168))
        for name in this:
            assert np.abs(this[name] - next_week[name]).max() < 0.02, name


def test_the_sample_has_a_storm_at_the_coast_and_a_frost_in_the_mountains():
    hours = np.arange(0, 168.0)
    assert air("Lisboa", hours)["speed"].max() >= 17.2
    assert air("Bragança", hours)["temperature"].min() <= -1 and air("Faro", hours)["temperature"].min() > 4
