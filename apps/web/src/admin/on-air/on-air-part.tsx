import './on-air.css'
import { useRef } from 'preact/hooks'
import { useStore } from '../../ui/store.ts'
import { useUrlState } from '../data/location.ts'
import { usePanel } from '../data/panel.ts'
import { Tabs } from '../ui/fields/tabs.tsx'
import { Guarded } from '../ui/layers/guarded.tsx'
import { usePhone } from '../ui/table/use-phone.ts'
import { AddTrack } from './add-track.tsx'
import { Alerts } from './alerts/alerts.tsx'
import { Groups } from './groups.tsx'
import { Inbox } from './inbox.tsx'
import { Jingles } from './jingles.tsx'
import { useOnAirTexts } from './on-air-context.ts'
import { Queue } from './queue/queue.tsx'
import { useDropping } from './queue/use-dropping.ts'
import { useQueue } from './queue/use-queue.ts'

const RULE = { allOf: ['queue_manage'] } as const

/** The daily work: what plays and comes next, what listeners ask for, and what is put in. */
export function OnAirPart() {
  const t = useOnAirTexts()
  const { log } = usePanel()
  const { length: waiting } = useStore(log.suggestions)
  const isPhone = usePhone()
  const [view, setView] = useUrlState('view', 'queue')
  const search = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLOListElement>(null)
  const queue = useQueue()
  const dropping = useDropping(list)
  const { held } = dropping
  const page = queue.is === 'ready' ? queue.data : null
  const add = <AddTrack field={search} queue={page} dropping={dropping} />
  const shownQueue = <Queue queue={queue} list={list} dropAt={held?.place ?? null} />
  const inbox = (
    <Guarded rule={RULE}>
      <Inbox />
    </Guarded>
  )
  const insert = (
    <Guarded rule={RULE}>
      {add}
      <Groups />
      <Jingles />
    </Guarded>
  )
  if (isPhone) {
    const tabs = [
      { id: 'queue', title: t.queue },
      { id: 'inbox', title: t.inbox, count: waiting },
      { id: 'insert', title: t.insert },
    ]
    const chosen = tabs.some(({ id }) => id === view) ? view : 'queue'
    return (
      <div class="air-part">
        <h1 class="unseen">{t.title}</h1>
        <Alerts />
        <Tabs label={t.title} tabs={tabs} chosen={chosen} onChoose={(id) => setView(id, { replace: true })}>
          {chosen === 'queue' ? shownQueue : chosen === 'inbox' ? inbox : insert}
        </Tabs>
      </div>
    )
  }
  return (
    <div class="air-part">
      <h1 class="unseen">{t.title}</h1>
      <Alerts />
      <div class="air-columns">
        <section class="air-queue">
          <h2>{t.queue}</h2>
          {shownQueue}
        </section>
        <div class="air-side">
          <section>
            <h2>
              {t.inbox} {waiting > 0 && <small>{waiting}</small>}
            </h2>
            {inbox}
          </section>
          <section>
            <h2>{t.add}</h2>
            {insert}
          </section>
        </div>
      </div>
      {held && (
        <p
          class="air-dropped"
          aria-hidden="true"
          data-place={held.place !== null}
          style={{ transform: `translate(${held.at.x + 12}px, ${held.at.y + 8}px)` }}
        >
          {held.title}
        </p>
      )}
    </div>
  )
}
