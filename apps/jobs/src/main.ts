import { connect, runProcess, serveMetrics, workJobs } from '@solstice/adapters'
import { capabilitiesOf, createAudit } from '@solstice/station'
import { startMonitor } from './monitor/monitor.ts'
import { processorsOf } from './processors/index.ts'
import { recordAir } from './record-air.ts'
import { jobsAtStart, recurrences } from './schedule.ts'
import { watchAir } from './watch-air.ts'
import { watchQueue } from './watch-queue.ts'

await runProcess('jobs', async (config, log) => {
  const ports = await connect(config, log, 'awaited')
  const worker = await workJobs(config.redis, processorsOf(ports), recurrences(ports), log)
  for (const name of jobsAtStart(ports)) await ports.jobs.add(name, {}, { id: name })
  await ports.videoTools.forgetCookies()
  const unwatch = config.webPush ? await watchQueue(ports) : () => {}
  const unwatchAir = capabilitiesOf(config).editSettings ? await watchAir(ports) : () => {}
  const stopRecording = config.streamMode && config.aircheckDays > 0 ? recordAir(ports) : async () => {}
  const audit = createAudit({ ...ports, isOn: capabilitiesOf(config).auditLog })
  const stopMonitor = startMonitor({ ...ports, audit })
  const closeMetrics = await serveMetrics(ports.metrics, config, log)
  log.info('taking jobs')
  return async () => {
    unwatch()
    unwatchAir()
    await stopRecording()
    await stopMonitor()
    await worker.close()
    closeMetrics()
    await ports.close()
  }
})
