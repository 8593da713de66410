import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { lostToEphemeralStorage } from '@solstice/station'
import type { Logger } from 'pino'
import { type Config, ConfigError, readConfig } from '../config/config.ts'
import { openPayments } from '../services/payments/index.ts'
import { openLog, openOutput } from './log.ts'

/** Stops everything that the process started. Called once, at the end of its life. */
export type Stop = () => Promise<void>

const STOP_TIMEOUT_MS = 9_000
/**
 * V8 collects again when the heap has grown by this share of what was alive, and by 8 MB at least. By itself it lets a quiet process
 * gather garbage for hours, up to four times what is alive.
 */
const HEAP_GROWTH_PERCENT = 30
/** EX_CONFIG of sysexits.h: tells a supervisor that a restart will not help. */
const EXIT_CONFIG = 78

/**
 * Runs one process of the station: reads the configuration (environment and `.env`), calls `start`, and stops on SIGTERM,
 * on SIGINT or when the supervisor that started it is gone. Exits with status 1 when the start fails or an error is not
 * caught, with 78 when the configuration is refused.
 *
 * @param stopTimeoutMs time for stopping, after which the process exits anyway.
 */
export async function runProcess(
  name: string,
  start: (config: Config, log: Logger) => Promise<Stop>,
  stopTimeoutMs: (config: Config) => number = () => STOP_TIMEOUT_MS,
): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`)
  const { config, log } = configure(name)
  const timeoutMs = stopTimeoutMs(config)
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      log.fatal({ err: error }, 'uncaught error; exiting')
      process.exit(1)
    })
  }

  let ending = false
  let stopNow: () => void = () => {}
  const stopping = new Promise<void>((resolve) => {
    stopNow = resolve
  })
  const end = (reason: string) => {
    if (ending) return
    ending = true
    log.info({ reason }, 'stopping')
    setTimeout(() => {
      log.error({ timeoutMs }, 'stop timed out; exiting')
      process.exit(1)
    }, timeoutMs).unref()
    stopNow()
  }
  process.on('SIGTERM', () => end('SIGTERM'))
  process.on('SIGINT', () => end('SIGINT'))
  process.on('disconnect', () => end('supervisor gone'))

  try {
    const stop = await Promise.race([start(config, log), stopping])
    await stopping
    await stop?.()
    process.exit(0)
  } catch (error) {
    log.fatal({ err: error }, 'start or stop failed; exiting')
    process.exit(1)
  }
}

function configure(name: string) {
  try {
    // The environment wins over the file. Tests set all they need and must not depend on a developer's .env.
    if (process.env.NODE_ENV !== 'test' && existsSync('.env')) process.loadEnvFile('.env')
    const { config, warnings } = readConfig(process.env)
    const log = openLog(name, config.logLevel, openOutput())
    // Of several processes on one port the first has said so.
    if (cluster.isPrimary) for (const warning of warnings) log.warn(warning)
    const lost = lostToEphemeralStorage(config, openPayments(config))
    if (lost.length)
      log.warn({ off: lost }, 'features turned off: their data would be lost (EPHEMERAL_STORAGE)')
    return { config, log }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(EXIT_CONFIG)
  }
}
