-- Run by wrk: what to send stands behind "--" (milliseconds between requests, body, token), figures are printed as JSON.
local pause = 0

function init(args)
  pause = tonumber(args[1] or "0")
  if args[2] == nil then return end
  wrk.method = "POST"
  wrk.body = args[2]
  wrk.headers["Content-Type"] = "application/json"
  if args[3] ~= nil then wrk.headers["Authorization"] = "Bearer " .. args[3] end
end

function delay()
  return pause
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    "\n{\"requests\":%d,\"microseconds\":%d,\"bytes\":%d,\"p99\":%d,\"failed\":%d}\n",
    summary.requests, summary.duration, summary.bytes, latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
