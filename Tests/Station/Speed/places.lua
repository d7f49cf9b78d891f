-- Asks for another of 2,000 places each time.
local count = 0
request = function()
  count = count + 1
  local place = count % 2000
  return wrk.format("GET", string.format("/QuickPrevByDate.php?lon=%.4f&lat=%.4f&date=20131002_12",
    -8.9 + 0.01 * (place % 50), 39.6 + 0.02 * math.floor(place / 50)))
end
