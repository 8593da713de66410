import './forecast.css'
import type { ForecastItem } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { useAdmin } from '../../data/panel.ts'
import { zoneTime } from '../../shell/time.ts'
import { Choice } from '../../ui/fields/choice.tsx'
import { Denied } from '../../ui/layers/guarded.tsx'
import { Badge } from '../../ui/state/badge.tsx'
import { List } from '../../ui/state/list.tsx'
import { usePhone } from '../../ui/table/use-phone.ts'
import { type SettingsNow, useDraft } from '../draft/use-draft.ts'
import { useForecastTexts } from './texts.ts'
import { type Hour, type Origin, useForecast } from './use-forecast.ts'

const RULE = { allOf: ['settings_algorithm'] } as const
const newSeed = () => Math.floor(Math.random() * 2 ** 31)

/** The next hour as the settings would make it, while they are edited. On a phone it is unfolded. */
export function Forecast({ saved }: { saved: SettingsNow }) {
  const t = useForecastTexts()
  const right = useAdmin().verdict(RULE)
  const isPhone = usePhone()
  const [isOpen, setOpen] = useState(!isPhone)
  useEffect(() => setOpen(!isPhone), [isPhone])
  return (
    <details class="forecast" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2>{t.title}</h2>
      </summary>
      {isOpen && (right.is === 'denied' ? <Denied right={right} /> : <NextHour saved={saved} />)}
    </details>
  )
}

function NextHour({ saved }: { saved: SettingsNow }) {
  const t = useForecastTexts()
  const { unsaved } = useDraft()
  const [from, setFrom] = useState<Origin>('list')
  const [seed, setSeed] = useState(newSeed)
  const hour = useForecast(saved, unsaved, seed, from)
  const origins = ['list', 'queue'] as const
  return (
    <>
      <div class="forecast-tools">
        <Choice
          legend={t.from}
          isLegendUnseen
          options={origins.map((id) => ({ id, title: t.origins[id] }))}
          chosen={from}
          onChoose={(id) => setFrom(id as Origin)}
        />
        <button type="button" class="text-button" onClick={() => setSeed(newSeed())}>
          {t.again}
        </button>
      </div>
      <p class="hint">{t.about[from]}</p>
      <List state={hour} rows={10} isEmpty={({ items }) => items.length === 0} empty={<p>{t.empty}</p>}>
        {(data) => <Items hour={data} />}
      </List>
      <p class="hint">{t.asIf}</p>
    </>
  )
}

function Items({ hour: { items, different } }: { hour: Hour }) {
  const t = useForecastTexts()
  return (
    <>
      <p class="forecast-changed" role="status" data-changed={different.size > 0}>
        {different.size > 0 ? t.changed(different.size) : t.same}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list is scrolled by keyboard */}
      <ol class="forecast-items" tabIndex={0} aria-label={t.title}>
        {items.map((item, i) => {
          const isOtherMode = i > 0 && items[i - 1]!.mode !== item.mode
          return (
            <li key={`${item.startsAt} ${item.type}`} data-is={item.type} data-different={different.has(i)}>
              {isOtherMode && <b class="forecast-mode">{t.modes[item.mode]}</b>}
              <Item item={item} isDifferent={different.has(i)} isFirst={i === 0} />
            </li>
          )
        })}
      </ol>
    </>
  )
}

function Item(props: { item: ForecastItem; isDifferent: boolean; isFirst: boolean }) {
  const { item, isDifferent, isFirst } = props
  const t = useForecastTexts()
  const { timeZone } = useAdmin().config
  const time = (atMs: number) => zoneTime(atMs, timeZone).slice(0, 5)
  const mark = isDifferent && <Badge tone="light">{t.different}</Badge>
  return (
    <div class="forecast-item">
      <time>{time(item.startsAt)}</time>
      {item.type === 'song' ? (
        <span class="forecast-song">
          <b>{item.title}</b>
          <span>
            {item.artist}
            {item.isQueued && <span class="soft"> · {isFirst ? t.onAir : t.queued}</span>}
          </span>
          {item.phrase && (
            <span class="soft">{t.phrase(nameOf(item.phrase.filename), time(item.phrase.startsAt))}</span>
          )}
        </span>
      ) : (
        <span class="forecast-song">
          {item.type === 'jingle' ? `${t.jingle}: ${nameOf(item.filename)}` : t.preparing}
        </span>
      )}
      {mark}
    </div>
  )
}

const nameOf = (filename: string) => filename.replace(/\.[^.]+$/, '')
