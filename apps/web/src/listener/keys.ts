import { useEffect, useRef } from 'preact/hooks'
import type { Radio } from '../radio/radio.ts'
import { preferences } from './preferences/preferences.ts'

const VOLUME_STEP = 0.05

/**
 * Keys that work anywhere on the page, except where something with the focus needs them itself.
 *
 * @param toggles actions of letters, by `KeyboardEvent.code`. The listener may turn letters off.
 */
export function useKeys(radio: Radio, toggles: Record<string, () => void>): void {
  const current = useRef(toggles)
  current.current = toggles
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      const on = event.target as HTMLElement
      const isTyping = on.matches('input:not([type=range]), textarea, select')
      const isControl = on.matches('button, a, input[type=range]')
      const { level } = radio.volume.value
      if (isTyping) return
      const hasLetters = preferences.letterKeys.value === 'on'
      const toggle = hasLetters && current.current[event.code]
      if (toggle) toggle()
      else if (hasLetters && (event.key === '/' || event.code === 'Slash'))
        document.getElementById('next')?.focus()
      else if (event.key === ' ' && !isControl) radio.toggle()
      else if (event.key === 'ArrowUp' && !isControl)
        radio.setVolume({ level: level + VOLUME_STEP, isMuted: false })
      else if (event.key === 'ArrowDown' && !isControl) radio.setVolume({ level: level - VOLUME_STEP })
      else return
      event.preventDefault()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [radio])
}
