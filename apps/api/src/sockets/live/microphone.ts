import type { LiveCommand } from '@solstice/playout'
import type { Bus } from '@solstice/station'
import type { Handlers } from '../dispatch.ts'
import type { MicrophoneRelay } from './microphone-relay.ts'

/** The microphones of everybody on the air. */
export function microphoneHandlers(deps: {
  bus: Pick<Bus, 'send'>
  relay: MicrophoneRelay
}): Pick<Handlers, 'host_mic_toggle' | 'host_mic_gain' | 'host_audio_chunk'> {
  const { bus, relay } = deps
  const change = latestOnly((command: LiveCommand) => bus.send(command))

  return {
    host_mic_toggle: {
      async answer({ socketId }, { on }) {
        await change(`mic ${socketId}`, { type: 'set-mic', socketId, isOn: on })
        return undefined
      },
    },
    host_mic_gain: {
      async answer({ socketId }, { gain }) {
        await change(`gain ${socketId}`, { type: 'set-gain', socketId, gain })
        return undefined
      },
    },
    host_audio_chunk: {
      answer(who, piece) {
        relay.take(who, piece)
        return undefined
      },
    },
  }
}

/** Sends one command at a time per key, and of those that wait only the last. One that cannot be sent is lost. */
function latestOnly<C>(send: (command: C) => Promise<unknown>) {
  const waiting = new Map<string, C | null>()
  return async (key: string, command: C) => {
    const isBusy = waiting.has(key)
    waiting.set(key, command)
    if (isBusy) return
    for (let next = waiting.get(key); next; next = waiting.get(key)) {
      waiting.set(key, null)
      await send(next).catch(() => {})
    }
    waiting.delete(key)
  }
}
