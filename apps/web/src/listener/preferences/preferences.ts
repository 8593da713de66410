import { storedChoice } from './stored-choice.ts'

/** What the listener prefers on this device. */
export const preferences = {
  /** Per cent of the size that the browser is set to. */
  textSize: storedChoice('radio_text_size', ['100', '125', '150', '200']),
  /** `system`: as the operating system says. */
  motion: storedChoice('radio_motion', ['system', 'none']),
  /** Shortcuts of a single letter, which those who dictate press by accident (WCAG 2.1.4). */
  letterKeys: storedChoice('radio_letter_keys', ['on', 'off']),
  isArtHidden: storedChoice('radio_art_hidden', ['false', 'true']),
}

/** Applies those that style sheets know, now and when they change. */
export function followPreferences(): () => void {
  const { style, dataset } = document.documentElement
  const apply = () => {
    style.setProperty('--text-size', String(Number(preferences.textSize.value) / 100))
    dataset.motion = preferences.motion.value
  }
  apply()
  const unfollow = [preferences.textSize.subscribe(apply), preferences.motion.subscribe(apply)]
  return () => {
    for (const end of unfollow) end()
  }
}
