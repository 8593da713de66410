import { localNowMs } from '../../connection/station-clock.ts'
import type { PlayerSwitch } from '../player-switch.ts'
import { createBreakCount } from './breaks.ts'
import type { SoundBreak } from './loader.ts'
import { createStreamPlayer, type StreamPlayer } from './player.ts'
import { prefersSegments } from './segments/source.ts'
import { createTransportChoice } from './transport-choice.ts'
import { createTransports, type TransportDeps } from './transports.ts'

/** Within a minute, while the station is there. */
const BREAKS_BEFORE_LOW = 2

export interface StreamDeps extends TransportDeps {
  player: PlayerSwitch
}

/**
 * Plays the stream in the quality that the listener chose, and lowers an automatic one where the sound breaks. Where an endless
 * answer is refused, or would end in the background, segments are played.
 */
export function openStream({ player, ...deps }: StreamDeps): void {
  const { audio, connection, config, quality } = deps
  const transports = createTransports(deps)
  const choice = createTransportChoice(prefersSegments(audio) ? 'segments' : 'endless')
  const breaks = createBreakCount()
  let open: StreamPlayer | null = null
  let isAsking = false

  const reset = () => {
    transports[choice.now].choice.reset()
    breaks.reset()
  }

  function onPlay(): boolean {
    if (!choice.started(localNowMs())) {
      reset()
      return true
    }
    player.replace(create)
    player.play()
    return false
  }

  function onBreak(how: SoundBreak): void {
    if (connection.link.value !== 'online') return
    if (breaks.add(localNowMs()) >= BREAKS_BEFORE_LOW) transports[choice.now].choice.lower()
    open?.follow()
    if (how === 'refused' && choice.refused(localNowMs())) void askOther()
  }

  /** Changes to the other transport if it answers; where it does not, the network is away. */
  async function askOther(): Promise<void> {
    if (isAsking) return
    isAsking = true
    const asker = open
    const answers = await transports[choice.other].answers()
    isAsking = false
    if (!answers || !asker || open !== asker || asker.sound.value.is !== 'retrying') return
    choice.change(localNowMs())
    reset()
    player.replace(create)
  }

  function create(): StreamPlayer {
    const playing = createStreamPlayer({ audio, connection }, transports[choice.now], { onPlay, onBreak })
    const opened: StreamPlayer = {
      ...playing,
      close() {
        if (open === opened) open = null
        playing.close()
      },
    }
    playing.sound.subscribe(({ is }) => is === 'playing' && choice.sounded(localNowMs()))
    open = opened
    return opened
  }

  player.replace(create)
  quality.subscribe(() => {
    reset()
    open?.follow()
  })
  config.subscribe(() => open?.follow())
}
