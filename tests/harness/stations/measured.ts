import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { openLoudnessMeter, openMedia, readConfig } from '@solstice/adapters'
import type { Measured } from '@solstice/station'
import { pino } from 'pino'
import { keptTone } from '../audio/audio.ts'
import { keep } from '../processes/kept.ts'
import type { Station, Tone } from './station.ts'

/** Writes what the jobs would find out about these songs first, so that they need not: equal tones are measured once. */
export async function noteMeasurements(station: Station, songs: readonly Tone[]): Promise<void> {
  const { config } = readConfig(station.env)
  const log = pino({ level: 'silent' })
  const [data, media] = await Promise.all([station.openData(), openMedia(config, log)])
  await Promise.all(
    songs.map(async ({ name, mode = 'day', ...tone }) => {
      const trackId = `${mode}/${name}.mp3`
      const [{ peaks, ...measured }, file] = await Promise.all([measuredTone(tone), media.stat(trackId)])
      await data.waveforms.put({ trackId, peaks })
      await data.measurements.put({ trackId, ...measured, ...file! })
    }),
  )
  await Promise.all([data.close(), media.close()])
}

async function measuredTone(tone: Omit<Tone, 'name' | 'mode'>): Promise<Measured> {
  const file = await keptTone(tone)
  const path = await keep(`measured-${basename(file)}.json`, async (unfinished) => {
    const measured = await openLoudnessMeter('ffmpeg').measure(file, new AbortController().signal)
    await writeFile(unfinished, JSON.stringify(measured))
  })
  return JSON.parse(await readFile(path, 'utf8'))
}
