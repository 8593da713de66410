import { useState } from 'preact/hooks'
import { formatDuration, trackLine } from '../../listener/format.ts'
import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import { useKeys } from '../data/keys.ts'
import { usePanel } from '../data/panel.ts'
import type { Suggestions } from '../data/station-log.ts'
import { ProgressRing } from '../ui/state/progress-ring.tsx'
import { useOnAirTexts } from './on-air-context.ts'

/** As wide as the longest time in it needs, so that it keeps its size while time runs. */
const ringPx = (answerMs: number) => 16 + 6 * Math.max(4, formatDuration(answerMs / 1000).length)

/** Track requests, the oldest first: A accepts the first, X refuses it, and a refusal can be undone for 5 s. */
export function Inbox() {
  const { log, connection, toasts, config } = usePanel()
  const t = useOnAirTexts()
  const all = useStore(log.suggestions)
  /** Refused here, and not told to the station yet. */
  const [refused, setRefused] = useState<ReadonlySet<string>>(new Set())
  const shown = all.filter(({ uid }) => !refused.has(uid)).sort((a, b) => a.addedAt - b.addedAt)
  useNow(shown.length ? 1000 : null)
  const forget = (uid: string) => setRefused((known) => new Set([...known].filter((other) => other !== uid)))
  const accept = (request: Suggestions[number] | undefined) =>
    request && connection.send('admin_suggestion_action', { uid: request.uid, action: 'add' })
  const refuse = (request: Suggestions[number] | undefined) => {
    if (!request) return
    const { uid, song } = request
    setRefused((known) => new Set([...known, uid]))
    const send = () => {
      connection.send('admin_suggestion_action', { uid, action: 'reject' })
      forget(uid)
    }
    toasts.soon(t.refused(trackLine(song)), t.undo, send, () => forget(uid))
  }
  useKeys(t.inbox, [
    { key: 'a', label: t.keyAccept, run: () => accept(shown[0]) },
    { key: 'x', label: t.keyRefuse, run: () => refuse(shown[0]) },
  ])
  /** How long a listener waits for an answer; 0 = until there is one. */
  const answerMs = config.limits.suggestExpiryS * 1000
  if (!shown.length) return <p class="hint inbox-empty">{t.inboxEmpty}</p>
  return (
    <ul class="inbox">
      {shown.map((request) => {
        const leftMs = Math.max(0, request.addedAt + answerMs - connection.stationNowMs())
        const time = formatDuration(leftMs / 1000)
        const line = trackLine(request.song)
        return (
          <li key={request.uid}>
            {answerMs > 0 && (
              <ProgressRing part={leftMs / answerMs} size={ringPx(answerMs)}>
                <span aria-hidden="true">{time}</span>
              </ProgressRing>
            )}
            <span class="queue-song">
              <b>{request.song.title}</b>
              <span>{request.song.artist}</span>
              {answerMs > 0 && <span class="unseen">{t.leftToAnswer(time)}</span>}
            </span>
            <span class="inbox-answers">
              <button
                type="button"
                class="button primary"
                aria-label={t.acceptSong(line)}
                onClick={() => accept(request)}
              >
                {t.accept}
              </button>
              <button
                type="button"
                class="text-button"
                aria-label={t.refuseSong(line)}
                onClick={() => refuse(request)}
              >
                {t.refuse}
              </button>
            </span>
          </li>
        )
      })}
    </ul>
  )
}
