import './tell-me.css'
import type { AwaitedSong } from '@solstice/contracts'
import { useSheetTexts } from '../sheets/texts.ts'
import { useTelling } from './use-telling.ts'

/** Asks to be told when an own track is next; nothing where the station or the browser can't do that. */
export function TellMe({ song }: { song: AwaitedSong }) {
  const s = useSheetTexts().tell
  const telling = useTelling(song)
  if (!telling) return null
  const { isAwaited, isAsking, says, toggle } = telling
  return (
    <div class="tell-me">
      <p role="status" class="nothing">
        {says}
      </p>
      <button
        type="button"
        class={isAwaited ? 'text-button' : 'button'}
        aria-disabled={isAsking}
        onClick={toggle}
      >
        {isAwaited ? s.cancel : s.ask}
      </button>
    </div>
  )
}
