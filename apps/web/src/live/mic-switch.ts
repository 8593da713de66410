import { createStore, type Store } from '../ui/store.ts'
import type { LiveConnection } from './live-connection.ts'
import type { Microphone } from './microphone.ts'

/** Turns the microphone of somebody on air on and off, and sends the recording to the station. */
export interface MicSwitch {
  readonly isOn: Store<boolean>
  set(isOn: boolean): void
  /** Turns it off, or opens the microphone and turns it on if `mayTurnOn` still says so then. */
  toggle(mayTurnOn: () => boolean): void
}

export function createMicSwitch(connection: LiveConnection, microphone: Microphone): MicSwitch {
  const isOn = createStore(false)

  function set(next: boolean): void {
    if (next === isOn.value) return
    isOn.set(next)
    connection.send('host_mic_toggle', { on: next })
    if (next) microphone.record((chunk) => connection.send('host_audio_chunk', chunk))
    else microphone.pause()
  }

  connection.on('host_mic_restart', () => microphone.restart())
  microphone.state.subscribe((state) => {
    if (state !== 'open') set(false)
  })

  return {
    isOn,
    set,
    toggle(mayTurnOn) {
      if (isOn.value) set(false)
      // The device may have been unplugged meanwhile.
      else void microphone.open().then((isOpen) => set(isOpen && mayTurnOn()))
    },
  }
}
