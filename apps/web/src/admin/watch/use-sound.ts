import { useEffect, useMemo, useRef } from 'preact/hooks'
import { createSound, type Sound } from './sound.ts'

/** A sound of this component, which ends with it. */
export function useSound(onEnded: (id: string) => void = () => {}): Sound {
  const ended = useRef(onEnded)
  ended.current = onEnded
  const sound = useMemo(() => createSound((id) => ended.current(id)), [])
  useEffect(() => sound.close, [sound])
  return sound
}
