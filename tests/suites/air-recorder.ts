import { connect, readConfig } from '@solstice/adapters'
import { pino } from 'pino'
import { recordAir } from '../../apps/jobs/src/record-air.ts'

/** A process that only records the air of the station in its environment, in parts of `PART_FRAMES` frames. */
const log = pino({ level: 'debug' })
const { config } = readConfig(process.env)
recordAir(await connect(config, log), { partFrames: Number(process.env.PART_FRAMES) })
process.once('disconnect', () => process.exit())
