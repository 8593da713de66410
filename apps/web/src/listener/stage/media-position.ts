import { useEffect } from 'preact/hooks'
import type { Radio } from '../../radio/radio.ts'
import { useStore } from '../../ui/store.ts'

/** Shows lock screens how far the track is, from its start on, and again after pauses, retries and jumps. */
export function useMediaPosition(radio: Radio): void {
  const sound = useStore(radio.sound)
  const heard = useStore(radio.heard)
  const duration = heard?.state.duration ?? 0
  const isOn = sound.is !== 'off'

  useEffect(() => {
    if (!('mediaSession' in navigator) || !navigator.mediaSession.setPositionState) return
    const position = radio.position()
    if (isOn && duration > 0 && position <= duration)
      navigator.mediaSession.setPositionState({ duration, position, playbackRate: 1 })
    else navigator.mediaSession.setPositionState()
    // The start moves by a fraction of a millisecond with each answer of the station.
  }, [radio, duration, isOn, sound.is, Math.round((heard?.startedAtMs ?? 0) / 1000)])
}
