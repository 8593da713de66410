import type { Metrics } from '@solstice/adapters'

/** What a worker counts of itself. */
export interface Figures {
  isOnAir: boolean
  /** Encoders that died or hung. */
  encodersReplaced: number
  /** Songs and jingles that were left because nothing was heard of them for long. */
  silencesLeft: number
}

export function reportFigures(metrics: Metrics): Figures {
  const figures: Figures = { isOnAir: false, encodersReplaced: 0, silencesLeft: 0 }
  metrics.gauge({ name: 'solstice_worker_on_air', help: '1 at the worker that holds the lease' }, () =>
    figures.isOnAir ? 1 : 0,
  )
  metrics.counter(
    { name: 'solstice_encoder_restarts_total', help: 'Encoders that died or hung and were replaced' },
    () => figures.encodersReplaced,
  )
  metrics.counter(
    { name: 'solstice_stream_silences_total', help: 'Songs and jingles left after 8 s without any sound' },
    () => figures.silencesLeft,
  )
  return figures
}
