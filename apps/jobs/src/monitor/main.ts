import { connect, runProcess, serveMetrics } from '@solstice/adapters'
import { capabilitiesOf, createAudit } from '@solstice/station'
import { startMonitor } from './monitor.ts'

/** EX_CONFIG of sysexits.h: tells a supervisor that a restart will not help. */
const EXIT_CONFIG = 78

/** The monitor in a process of its own, for instance on a machine elsewhere. */
await runProcess('monitor', async (config, log) => {
  if (config.monitorUrls.length === 0) {
    log.fatal('no address to listen to: MONITOR_URLS is empty, or STREAM_MODE is off')
    process.exit(EXIT_CONFIG)
  }
  const ports = await connect(config, log, 'awaited')
  const audit = createAudit({ ...ports, isOn: capabilitiesOf(config).auditLog })
  const stopMonitor = startMonitor({ ...ports, audit })
  const closeMetrics = await serveMetrics(ports.metrics, config, log)
  log.info('watching over the station')
  return async () => {
    await stopMonitor()
    closeMetrics()
    await ports.close()
  }
})
