import type { Participant } from '@solstice/contracts'
import { useEffect } from 'preact/hooks'
import { SpeakerMeter } from '../../live/speakers/speaker-meter.tsx'
import { TimeLeft } from '../../live/speakers/time-left.tsx'
import { Confirm } from '../confirm.tsx'
import { useStation } from '../data/panel.ts'
import { PanelSection } from '../host/panel-section.tsx'
import { useStudio } from '../host/studio-context.ts'
import { Guarded } from '../ui/layers/guarded.tsx'
import { Badge } from '../ui/state/badge.tsx'
import { List } from '../ui/state/list.tsx'
import { useAnswer, useModeratorTexts, usePerform } from './moderation.ts'

/** Everybody on air, and what a moderator can do about each. */
export function Roster() {
  const station = useStation()
  const t = useModeratorTexts()
  const state = useAnswer(() => station.request('moderator_get_live_roster'), station)
  useEffect(
    () =>
      station.on('live_hosts_roster', (roster) =>
        state.set({ roster, hostsOnline: roster.some(({ role }) => role === 'host') }),
      ),
    [station],
  )
  return (
    <PanelSection title={t.roster}>
      <List state={state} rows={2} isEmpty={({ roster }) => !roster.length} empty={<p>{t.nobody}</p>}>
        {({ roster }) => (
          <ul class="rows" data-levels="true">
            {roster.map((person) => (
              <Person key={person.id} person={person} />
            ))}
          </ul>
        )}
      </List>
    </PanelSection>
  )
}

function Person({ person }: { person: Participant }) {
  const { request } = useStation()
  const { host, connection, t: studio } = useStudio()
  const { speakers } = host
  const t = useModeratorTexts()
  const perform = usePerform()
  const { id: targetId, login, role, muted } = person
  const mute = () => perform(request('moderator_mute', { targetId, muted: !muted }))
  const kick = () => perform(request('moderator_kick', { targetId }), t.kicked(login))
  const ban = () => perform(request('moderator_ban_participant', { targetId }), t.banned(login))
  return (
    <li>
      <span class="row-name">{login}</span>
      <span class="row-about">{t.roles[role]}</span>
      {muted && <Badge>{t.muted}</Badge>}
      <TimeLeft {...{ speakers, id: targetId, connection }} text={studio.timeLeft} />
      <span class="row-actions">
        <button
          type="button"
          class="plain"
          aria-label={`${muted ? t.unmute : t.mute}: ${login}`}
          onClick={mute}
        >
          {muted ? t.unmute : t.mute}
        </button>
        <Confirm
          label={t.kick}
          about={login}
          sure={role === 'specialGuest' ? t.kickSureInvited : t.kickSure}
          yes={t.kickYes}
          no={t.no}
          onYes={kick}
        />
        {role === 'guest' && (
          <Guarded rule={{ capabilities: ['ipModeration'] }}>
            <Confirm label={t.ban} about={login} sure={t.banSure} yes={t.banYes} no={t.no} onYes={ban} />
          </Guarded>
        )}
      </span>
      <SpeakerMeter {...{ speakers, id: targetId }} label={studio.levelOf(login)} />
    </li>
  )
}
