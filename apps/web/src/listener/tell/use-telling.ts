import type { AwaitedSong } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { useStore } from '../../ui/store.ts'
import { useRadio } from '../radio-context.ts'
import { useSheetTexts } from '../sheets/texts.ts'
import { canTell, keyOf, tellNoMore, tellOf, wishes } from './wishes.ts'

export interface Telling {
  /** The station will tell of the track. */
  isAwaited: boolean
  isAsking: boolean
  /** How it stands, or what went wrong; '' at first. */
  says: string
  /** Asks for it, or takes it back. */
  toggle: () => void
}

/** The wish to be told when an own track is next; null where the station or the browser can't do that. */
export function useTelling(song: AwaitedSong): Telling | null {
  const { radio, locale } = useRadio()
  const s = useSheetTexts().tell
  const isOn = useStore(radio.config)?.capabilities.webPush ?? false
  const wish = useStore(wishes).find(({ key }) => key === keyOf(song))
  const [state, setState] = useState<'idle' | 'asking' | 'denied' | 'failed'>('idle')
  if (!isOn || !canTell()) return null
  const ask = () => {
    if (state === 'asking') return
    setState('asking')
    tellOf(song, locale).then(
      (outcome) => setState(outcome === 'told' ? 'idle' : 'denied'),
      () => setState('failed'),
    )
  }
  return {
    isAwaited: wish !== undefined,
    isAsking: state === 'asking',
    says: wish ? s.told : state === 'denied' || state === 'failed' ? s[state] : '',
    toggle: wish ? () => tellNoMore(wish) : ask,
  }
}
