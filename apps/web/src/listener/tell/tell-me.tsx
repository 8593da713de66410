import './tell-me.css'
import type { AwaitedSong } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { useStore } from '../../ui/store.ts'
import { useRadio } from '../radio-context.ts'
import { useSheetTexts } from '../sheets/texts.ts'
import { canTell, keyOf, tellNoMore, tellOf, wishes } from './wishes.ts'

/** Asks to be told when an own track is next; nothing where the station or the browser can't do that. */
export function TellMe({ song }: { song: AwaitedSong }) {
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
  return (
    <div class="tell-me">
      <p role="status" class="nothing">
        {wish ? s.told : state === 'denied' || state === 'failed' ? s[state] : ''}
      </p>
      {wish ? (
        <button type="button" class="text-button" onClick={() => tellNoMore(wish)}>
          {s.cancel}
        </button>
      ) : (
        <button type="button" class="button" aria-disabled={state === 'asking'} onClick={ask}>
          {s.ask}
        </button>
      )}
    </div>
  )
}
