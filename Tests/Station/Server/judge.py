"""An independent reader of forecast files: netCDF4, numpy and xarray, without the station's
code."""

import math

import netCDF4
import numpy as np
from scipy.optimize import least_squares


def cell_of(latitudes, longitudes, latitude, longitude):
    """Returns the cell of a curvilinear grid that contains a location and the position in it, by
    least squares over every candidate cell."""
    rows, columns = latitudes.shape
    for row in range(rows - 1):
        for column in range(columns - 1):
            lat = latitudes[row:row + 2, column:column + 2].astype(float)
            lon = longitudes[row:row + 2, column:column + 2].astype(float)
            if not (lat.min() <= latitude <= lat.max() and lon.min() <= longitude <= lon.max()):
                continue

            def miss(shares):
                weights = np.array([[(1 - shares[0]) * (1 - shares[1]), (1 - shares[0]) * shares[1]],
                                    [shares[0] * (1 - shares[1]), shares[0] * shares[1]]])
                return [(weights * lat).sum() - latitude, (weights * lon).sum() - longitude]

            found = least_squares(miss, (0.5, 0.5), xtol=1e-15, ftol=1e-15, gtol=1e-15).x
            if all(-1e-7 <= share <= 1 + 1e-7 for share in found) and max(map(abs, miss(found))) < 1e-8:
                return row, column, found[0], found[1]
    return None


def bilinear(corners, down, right):
    """Interpolates between four points; the last two axes are rows and columns."""
    return (corners[..., 0, 0] * (1 - down) * (1 - right) + corners[..., 0, 1] * (1 - down) * right
            + corners[..., 1, 0] * down * (1 - right) + corners[..., 1, 1] * down * right)


class Sample:
    """One of the sample's files at a location."""

    def __init__(self, path, latitude, longitude):
        with netCDF4.Dataset(path) as file:
            lat, lon = file["XLAT"][:].data, file["XLONG"][:].data
            found = cell_of(lat, lon, latitude, longitude)
            self.covers = found is not None
            if not self.covers:
                return
            row, column, down, right = found

            def field(name):
                values = file[name][..., row:row + 2, column:column + 2]
                return bilinear(np.ma.filled(values.astype(float), np.nan), down, right)

            self.hours = file["time"][:].data
            self.temperature = field("T2") - 273.15
            self.humidity = field("RH2")
            self.rain = field("RAIN")
            self.cloud = field("CLOUD") * 100
            self.pressure = field("PMSL") / 100
            self.height = float(field("HGT"))
            along, across = field("U10"), field("V10")
            step_north = float(lat[row, column + 1] - lat[row, column])
            step_east = float(lon[row, column + 1] - lon[row, column]) * math.cos(math.radians(lat[row, column]))
            turn = math.atan2(step_north, step_east)
            east = along * math.cos(turn) - across * math.sin(turn)
            north = along * math.sin(turn) + across * math.cos(turn)
            self.speed = np.hypot(along, across)
            self.direction = np.degrees(np.arctan2(-east, -north)) % 360


def rotated(pole_latitude, pole_longitude, latitude, longitude):
    """Returns a location on the sphere of a rotated grid, by rotating its vector in three
    dimensions."""
    lat, lon = np.radians([latitude, longitude])
    vector = np.array([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    a, b = np.radians(180 + pole_longitude), np.radians(-(90 - pole_latitude))
    about_z = np.array([[np.cos(a), np.sin(a), 0], [-np.sin(a), np.cos(a), 0], [0, 0, 1]])
    about_y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    x, y, z = about_y.T @ about_z @ vector
    return float(np.degrees(np.arcsin(z))), float(np.degrees(np.arctan2(y, x)))
