"""Writes GRIB files with ECMWF's ecCodes and converts them with cfgrib and xarray, as users do."""

import warnings

import cfgrib
import eccodes
import numpy as np
import xarray

LATITUDES, LONGITUDES = np.linspace(42, 39, 7), np.linspace(350, 354, 9)
REGULAR = dict(Ni=9, Nj=7, iDirectionIncrementInDegrees=0.5, jDirectionIncrementInDegrees=0.5,
               latitudeOfFirstGridPointInDegrees=42, latitudeOfLastGridPointInDegrees=39,
               longitudeOfFirstGridPointInDegrees=350, longitudeOfLastGridPointInDegrees=354)
LAMBERT = dict(gridType="lambert", Nx=9, Ny=7, DxInMetres=20000, DyInMetres=20000, latitudeOfFirstGridPointInDegrees=38,
               longitudeOfFirstGridPointInDegrees=350, LaDInDegrees=40, LoVInDegrees=330, Latin1InDegrees=40, Latin2InDegrees=40,
               iScansNegatively=0, jScansPositively=1)


def weather(steps, cloud=1.0):
    """Returns the fields of each step by GRIB short name; rain in mm of the hour that ends at the
    step."""
    t, y, x = np.meshgrid(np.asarray(steps, dtype=float), np.arange(7.0), np.arange(9.0), indexing="ij")
    kelvin = 288 + 5 * np.sin(0.5 * t + 0.3 * y) + 0.4 * x
    return {
        "2t": kelvin, "2d": kelvin - 2 - np.cos(0.7 * t + 0.2 * x) ** 2 * 6, "10u": 3 + 2 * np.sin(t + 0.3 * y), "10v": -2 + np.cos(t - 0.2 * x),
        "msl": 101300 + 120 * np.sin(0.3 * t) + 10 * y, "sp": 99300 + 100 * np.sin(0.3 * t) - 15 * x,
        "tcc": cloud * (0.5 + 0.4 * np.sin(0.9 * t + 0.5 * x)),
        "rain": np.where(t > 0, np.maximum(0, np.sin(1.3 * t + 0.4 * y)) * (1 + 0.1 * x), 0),
    }


def write(path, messages, grid=REGULAR, centre="ecmf", relative=0):
    """Writes messages: short name, step range, values, and the date and hour of the run."""
    with open(path, "wb") as file:
        for short, step, values, (day, hour) in messages:
            message = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
            # A range of steps is a sum, which has its own template.
            statistics = {"productDefinitionTemplateNumber": 8, "typeOfStatisticalProcessing": 1} if "-" in step else {}
            for key, value in (grid | {"centre": centre, "dataDate": day, "dataTime": hour * 100} | statistics | {
                    "shortName": short, "stepRange": step, "bitsPerValue": 24, "uvRelativeToGrid": relative}).items():
                eccodes.codes_set(message, key, value)
            eccodes.codes_set_values(message, np.asarray(values, dtype=float).ravel())
            eccodes.codes_write(message, file)
            eccodes.codes_release(message)
    return path


def converted(path, netcdf):
    """Converts a GRIB file to NetCDF with cfgrib and xarray: one file for all levels, as in
    cfgrib's documentation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        parts = cfgrib.open_datasets(str(path), backend_kwargs={"indexpath": ""})
        whole = xarray.merge([part.drop_vars([name for name in part.coords if name in LEVELS]) for part in parts], compat="override")
    whole.to_netcdf(netcdf)
    return netcdf


LEVELS = ("heightAboveGround", "surface", "meanSea", "entireAtmosphere")
