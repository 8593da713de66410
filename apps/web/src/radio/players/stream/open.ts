import type { PublicConfig } from '@solstice/contracts'
import type { Store } from '../../../ui/store.ts'
import type { Connection } from '../../connection/connection.ts'
import { localNowMs } from '../../connection/station-clock.ts'
import type { PlayerSwitch } from '../player-switch.ts'
import { createBreakCount } from './breaks.ts'
import { createLagMeter } from './lag.ts'
import { createStreamPlayer } from './player.ts'
import { createStreamChoice, type Quality } from './quality.ts'
import { createStreamRequest } from './request.ts'

/** Within a minute, while the station is there. */
const BREAKS_BEFORE_LOW = 2

export interface StreamDeps {
  audio: HTMLAudioElement
  connection: Connection
  config: Store<PublicConfig | null>
  quality: Store<Quality>
  player: PlayerSwitch
}

/** Plays the stream in the quality that the listener chose, and lowers an automatic one where the sound breaks. */
export function openStream({ audio, connection, config, quality, player }: StreamDeps): void {
  const choice = createStreamChoice(config, quality)
  const breaks = createBreakCount()
  const reset = () => {
    choice.reset()
    breaks.reset()
  }
  const onBreak = () => {
    if (connection.link.value !== 'online') return
    if (breaks.add(localNowMs()) >= BREAKS_BEFORE_LOW) choice.lower()
    playing.follow()
  }
  const transport = {
    request: createStreamRequest(audio, connection.artToken, choice.now),
    lag: createLagMeter(audio, connection.roundTripMs),
    source: () => choice.now().path,
  }
  const playing = createStreamPlayer({ audio, connection }, transport, { onPlay: reset, onBreak })
  player.replace(() => playing)
  quality.subscribe(() => {
    reset()
    playing.follow()
  })
  config.subscribe(() => playing.follow())
}
