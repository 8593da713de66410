import './accent.css'
import { LISTENER_LOOK, type Look, lookText } from '@solstice/contracts'
import type { Airing } from '../../radio/timeline.ts'
import { readStored, writeStored } from '../../ui/browser-storage.ts'
import { createStore, type Store } from '../../ui/store.ts'
import { tellStation } from '../../ui/tell-station.ts'
import { accentProperties, isColour } from './accent.ts'
import { storedChoice } from './stored-choice.ts'

const shown = ['show', 'hide'] as const

/** What the listener prefers on this device. */
export const preferences = {
  /** Per cent of the size that the browser is set to. */
  textSize: storedChoice('radio_text_size', ['100', '125', '150', '200']),
  /** `system`: as the operating system says. */
  motion: storedChoice('radio_motion', ['system', 'none']),
  /** Shortcuts of a single letter, which those who dictate press by accident (WCAG 2.1.4). */
  letterKeys: storedChoice('radio_letter_keys', ['on', 'off']),
  /** Of the sound, where the station has several streams; `auto`: as the network allows. */
  quality: storedChoice('radio_quality', ['auto', 'high', 'low']),
  isArtHidden: storedChoice('radio_art_hidden', ['false', 'true']),
  /** `station`: as the programme is. */
  sky: storedChoice('radio_sky', ['station', 'dark']),
  /** Some want to be surprised. */
  next: storedChoice('radio_next', ['show', 'blur', 'hide']),
  earlier: storedChoice('radio_earlier', shown),
  library: storedChoice('radio_library', shown),
  lyrics: storedChoice('radio_lyrics', shown),
}

const ACCENT = 'radio_accent'

/** The colour that the listener chose, `#rrggbb`; `cover`: that of the cover on air; '' = the station's own. */
export const accent: Store<string> = storedColour()

function storedColour(): Store<string> {
  const stored = readStored(ACCENT) ?? ''
  const colour = createStore(isColour(stored) || stored === 'cover' ? stored : '')
  colour.subscribe((chosen) => writeStored(ACCENT, chosen))
  return colour
}

/** What of it the first paint shows. */
const chosenLook = (colour: string): Look => ({
  isDark: preferences.sky.value === 'dark',
  textSize: preferences.textSize.value,
  isStill: preferences.motion.value === 'none',
  accent: colour,
})

/** Applies those that style sheets know, now and when they change; the station sends the next page with them. */
export function followPreferences(heard: Store<Airing | null>): () => void {
  const { style, dataset } = document.documentElement
  const apply = () => {
    dataset.textSize = preferences.textSize.value
    dataset.motion = preferences.motion.value
    const isOfCover = accent.value === 'cover'
    const colour = isOfCover ? (heard.value?.state.cover?.color ?? '') : accent.value
    if (colour) dataset.accent = 'own'
    else delete dataset.accent
    for (const [name, value] of Object.entries(accentProperties(colour))) style.setProperty(name, value)
    tellStation(LISTENER_LOOK, lookText(chosenLook(colour)))
  }
  apply()
  const followed = [preferences.sky, preferences.textSize, preferences.motion, accent]
  const unfollow = followed.map((store: Store<string>) => store.subscribe(apply))
  unfollow.push(heard.subscribe(() => accent.value === 'cover' && apply()))
  return () => {
    for (const end of unfollow) end()
  }
}
