import type { BanEntry } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { Confirm } from '../confirm.tsx'
import { useAdmin, useStation } from '../data/panel.ts'
import { PanelSection } from '../host/panel-section.tsx'
import { Field } from '../ui/fields/field.tsx'
import { Guarded } from '../ui/layers/guarded.tsx'
import { List } from '../ui/state/list.tsx'
import { Pages } from '../ui/state/pages.tsx'
import { useAnswer, useModeratorTexts, usePerform } from './moderation.ts'

const PAGE = 10
const RULE = { capabilities: ['ipModeration'] } as const

/** Addresses that may not go on air, the newest first. */
export function Bans() {
  const { request, on } = useStation()
  const t = useModeratorTexts()
  const [offset, setOffset] = useState(0)
  const state = useAnswer(() => request('moderator_get_banlist', { offset, limit: PAGE }), offset)
  const { retry } = state
  useEffect(() => on('moderator_bans_updated', retry), [on, offset])
  return (
    <PanelSection title={t.bans}>
      <List state={state} rows={3} isEmpty={({ total }) => total === 0} empty={<p>{t.noBans}</p>}>
        {({ list, total }) => (
          <>
            <ul class="rows">
              {list.map((entry) => (
                <Ban key={entry.ip} entry={entry} />
              ))}
            </ul>
            <Pages {...{ offset, total, page: PAGE, shown: list.length }} onTurn={setOffset} />
          </>
        )}
      </List>
      <Guarded rule={RULE}>
        <BanAddress />
      </Guarded>
    </PanelSection>
  )
}

function Ban({ entry }: { entry: BanEntry }) {
  const { request } = useStation()
  const { locale } = useAdmin()
  const t = useModeratorTexts()
  const perform = usePerform()
  const { ip, nickname, bannedAt, bannedBy } = entry
  const time = new Date(bannedAt).toLocaleString(locale === 'en' ? 'en-GB' : locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
  })
  const unban = () => perform(request('moderator_unban_ip', { ip }), t.unbanned(ip))
  return (
    <li>
      <span class="row-name">{ip}</span>
      <span class="row-about">{[nickname, t.by(bannedBy, time)].filter(Boolean).join(' · ')}</span>
      <span class="row-actions">
        <Guarded rule={RULE}>
          <Confirm label={t.unban} about={ip} sure={t.unbanSure} yes={t.unbanYes} no={t.no} onYes={unban} />
        </Guarded>
      </span>
    </li>
  )
}

function BanAddress() {
  const { request } = useStation()
  const t = useModeratorTexts()
  const perform = usePerform()
  const [ip, setIp] = useState('')
  const [nickname, setNickname] = useState('')
  const submit = async (event: Event) => {
    event.preventDefault()
    const body = { ip: ip.trim(), nickname: nickname.trim() || null }
    if (!body.ip || !(await perform(request('moderator_ban_ip', body), t.banned(body.ip)))) return
    setIp('')
    setNickname('')
  }
  return (
    <form class="ban-form" onSubmit={submit}>
      <Field
        label={t.address}
        hint={t.addressHint}
        value={ip}
        onValue={setIp}
        maxLength={100}
        autocomplete="off"
      />
      <Field label={t.nickname} value={nickname} onValue={setNickname} maxLength={32} autocomplete="off" />
      <button type="submit" class="button" aria-disabled={!ip.trim()}>
        {t.banAddress}
      </button>
    </form>
  )
}
