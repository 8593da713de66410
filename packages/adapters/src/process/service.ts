import { existsSync } from 'node:fs'
import { lostToEphemeralStorage } from '@solstice/station'
import type { Logger } from 'pino'
import { type Config, ConfigError, readConfig } from '../config/config.ts'
import { openPayments } from '../payments/index.ts'
import { openLog, openOutput } from './log.ts'

/** Ends what a process started; called once, at the end of its life. */
export type Stop = () => Promise<void>

const STOP_LIMIT_MS = 9_000
/** EX_CONFIG of sysexits.h: tells a supervisor that starting again is of no use. */
const CONFIGURATION_REFUSED = 78

/**
 * Runs one process of the station: reads the configuration (environment and `.env`), starts, and stops on SIGTERM, on SIGINT or when the
 * supervisor that started it is gone. Ends the process with status 1 when it cannot start or fails beyond repair, with
 * 78 when the configuration is refused.
 *
 * @param stopLimitMs how long stopping may take before the process ends anyway.
 */
export async function runService(
  name: string,
  start: (config: Config, log: Logger) => Promise<Stop>,
  stopLimitMs: (config: Config) => number = () => STOP_LIMIT_MS,
): Promise<void> {
  const { config, log } = configure(name)
  const limitMs = stopLimitMs(config)
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      log.fatal({ err: error }, 'this should never happen; ending')
      process.exit(1)
    })
  }

  let ending = false
  let stopNow: () => void = () => {}
  const stopping = new Promise<void>((resolve) => {
    stopNow = resolve
  })
  const end = (why: string) => {
    if (ending) return
    ending = true
    log.info(`${why}: stopping`)
    setTimeout(() => {
      log.error(`not stopped after ${limitMs} ms; ending`)
      process.exit(1)
    }, limitMs).unref()
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
    log.fatal({ err: error }, 'cannot go on')
    process.exit(1)
  }
}

function configure(name: string) {
  try {
    // What is already in the environment wins. Tests say all they mean and must not depend on somebody's .env.
    if (process.env.NODE_ENV !== 'test' && existsSync('.env')) process.loadEnvFile('.env')
    const { config, warnings } = readConfig(process.env)
    const log = openLog(name, config.logLevel, openOutput())
    for (const warning of warnings) log.warn(warning)
    const lost = lostToEphemeralStorage(config, openPayments(config))
    if (lost.length)
      log.warn({ off: lost }, 'EPHEMERAL_STORAGE: what these write would be lost, so they are off')
    return { config, log }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(CONFIGURATION_REFUSED)
  }
}
