// Ends with status 0 while the process of this container answers: the API at PORT, the others at METRICS_PORT.
const port = process.env.METRICS_PORT || process.env.PORT || 3001
const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(4_000) }).catch(
  () => null,
)
process.exitCode = answer?.ok ? 0 : 1
