// Ends with status 0 while the process of this container answers: the API at PORT, the others at METRICS_PORT.
const ports = [process.env.PORT || 3001, process.env.METRICS_PORT].filter(Boolean)
const answers = ports.map(async (port) => {
  const { ok } = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(4_000) })
  if (!ok) throw new Error(`port ${port} is not well`)
})
process.exitCode = await Promise.any(answers).then(
  () => 0,
  () => 1,
)
