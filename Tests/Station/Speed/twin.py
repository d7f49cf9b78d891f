"""The response of /QuickPrevByDate.php from FastAPI and xarray: a typical first implementation."""

import os
import sys

import numpy as np
import uvicorn
import xarray
from fastapi import FastAPI
from fastapi.responses import JSONResponse

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Server"))
from judge import cell_of  # noqa: E402

# Loaded into memory, the fastest option of xarray: the sample is small.
DATA = xarray.load_dataset(sys.argv[1])
LAT, LON = DATA["XLAT"].values, DATA["XLONG"].values
CELLS = {}
app = FastAPI()


def corners(name, hours, row, column):
    return DATA[name][hours, row:row + 2, column:column + 2].values


@app.get("/QuickPrevByDate.php")
def quick(lon: float, lat: float, date: str):
    place = (round(lat, 4), round(lon, 4))
    if place not in CELLS:
        CELLS[place] = cell_of(LAT, LON, *place)
    row, column, down, right = CELLS[place]
    moment = np.datetime64(f"{date[:4]}-{date[4:6]}-{date[6:8]}T{date[9:]}")
    hour = int((moment - DATA["time"].values[0]) / np.timedelta64(1, "h"))
    weights = np.array([[(1 - down) * (1 - right), (1 - down) * right], [down * (1 - right), down * right]])

    def at(name, hours):
        return (corners(name, hours, row, column) * weights).sum(axis=(-1, -2))

    day = hour - hour % 24
    warm = at("T2", slice(day, day + 24)) - 273.15
    north, east = LAT[row, column + 1] - LAT[row, column], LON[row, column + 1] - LON[row, column]
    turn = np.arctan2(north, east * np.cos(np.radians(LAT[row, column])))
    u, v = at("U10", hour), at("V10", hour)
    angle = np.degrees(np.arctan2(-(u * np.cos(turn) - v * np.sin(turn)), -(u * np.sin(turn) + v * np.cos(turn)))) % 360
    return JSONResponse({"response": {
        "temp": {"max": round(float(warm.max()), 1), "min": round(float(warm.min()), 1),
                 "now": round(float(warm[hour - day]), 1)},
        "hum": {"now": round(float(at("RH2", hour)))}, "rain": {"now": round(float(at("RAIN", hour + 1)), 1)},
        "cloud": {"now": round(float(at("CLOUD", hour)) * 100)}, "wind_vel": {"now": round(float(np.hypot(u, v)), 1)},
        "wind_dir": {"now": round(float(angle)) % 360}, "atm_press": {"now": round(float(at("PMSL", hour)) / 100, 1)}}})


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="error", access_log=False)
