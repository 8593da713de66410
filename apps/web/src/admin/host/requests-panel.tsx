import { formatDuration } from '../../listener/format.ts'
import { useNow } from '../../ui/use-now.ts'
import { PanelSection } from './panel-section.tsx'
import { useStudio } from './studio-context.ts'

/** Listeners who ask to go on air. */
export function RequestsPanel() {
  const { host, state, connection, t } = useStudio()
  const { requests } = state
  const isAny = requests.length > 0
  useNow(isAny ? 1000 : null)
  const newest = requests.at(-1)
  const waitedS = (addedAt: number) => Math.max(0, connection.stationNowMs() - addedAt) / 1000
  return (
    <PanelSection title={t.requests}>
      {!isAny && <p class="hint">{t.noRequests}</p>}
      <ul class="rows">
        {requests.map(({ uid, nickname, addedAt }) => (
          <li key={uid}>
            <span class="row-name">{nickname}</span>
            <span class="row-about">{t.waits(formatDuration(waitedS(addedAt)))}</span>
            <span class="row-actions">
              <button
                type="button"
                class="button primary"
                aria-label={`${t.accept}: ${nickname}`}
                onClick={() => host.answerGuest(uid, 'accept')}
              >
                {t.accept}
              </button>
              <button
                type="button"
                class="plain"
                aria-label={`${t.reject}: ${nickname}`}
                onClick={() => host.answerGuest(uid, 'reject')}
              >
                {t.reject}
              </button>
            </span>
          </li>
        ))}
      </ul>
      <p class="unseen" aria-live="polite">
        {newest && t.asks(newest.nickname)}
      </p>
    </PanelSection>
  )
}
