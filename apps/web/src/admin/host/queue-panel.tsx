import { isChatting } from '../../radio/timeline.ts'
import { useStore } from '../../ui/store.ts'
import { PanelSection } from './panel-section.tsx'
import { useStudio } from './studio-context.ts'

/** Pauses the music for a chat, and resumes it. */
export function QueuePanel() {
  const { host, state, connection, t } = useStudio()
  const air = useStore(connection.air)
  const isChat = air !== null && isChatting(air)
  return (
    <PanelSection title={t.queue}>
      <p role="status">{!state.isQueuePaused ? t.running : isChat ? t.paused : t.pausing}</p>
      <div class="row">
        {state.isQueuePaused ? (
          <button type="button" class="button primary" onClick={host.resumeQueue}>
            {isChat ? t.resume : t.cancelPause}
          </button>
        ) : (
          <>
            <button type="button" class="button" onClick={() => host.pauseQueue('now')}>
              {t.pauseNow}
            </button>
            <button type="button" class="button" onClick={() => host.pauseQueue('afterTrack')}>
              {t.pauseAfter}
            </button>
          </>
        )}
      </div>
    </PanelSection>
  )
}
