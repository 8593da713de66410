import { createStore, type Store } from '../../ui/store.ts'
import type { Player, Sound, SoundTitle } from './player.ts'

/** The player that the station's way of broadcasting needs; which one is unknown at first, and may change. */
export interface PlayerSwitch {
  readonly sound: Store<Sound>
  /** Closes the player and creates another one, which plays on if the sound was on. */
  replace(create: () => Player): void
  /** Starts the sound, or as soon as there is a player. */
  play(): void
  pause(): void
  lagS(): number
  title(): SoundTitle | null
}

export function createPlayerSwitch(): PlayerSwitch {
  const sound = createStore<Sound>({ is: 'off' })
  let player: Player | null = null
  let unsubscribe = () => {}
  /** Pressed before there was a player. */
  let isPlayPending = false
  return {
    sound,
    replace(create) {
      const isOn = player ? !['off', 'paused'].includes(player.sound.value.is) : isPlayPending
      // The old player's sound no longer counts while it closes.
      unsubscribe()
      player?.close()
      player = create()
      unsubscribe = player.sound.subscribe(sound.set)
      if (isOn) player.play()
    },
    play() {
      if (player) return player.play()
      isPlayPending = true
      sound.set({ is: 'starting' })
    },
    pause() {
      isPlayPending = false
      if (player) player.pause()
      else sound.set({ is: 'paused' })
    },
    lagS: () => player?.lagS() ?? 0,
    title: () => player?.title?.() ?? null,
  }
}
