import type { Capability, PublicConfig } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { apiUrl } from '../../api.ts'
import { useAdmin } from '../data/panel.ts'
import { Icon } from '../ui/icon.tsx'
import { Badge } from '../ui/state/badge.tsx'
import { type StationTexts, useStationTexts } from './texts.ts'

/** How the station is set up, what each capability lacks, and a backup to take away. */
export function SetUp() {
  const t = useStationTexts()
  const { config, may } = useAdmin()
  const facts: [string, string][] = [
    [t.facts.broadcast, config.streamMode ? t.facts.stream : t.facts.sync],
    [t.facts.programme, config.nightMode ? t.facts.dayAndNight : t.facts.dayOnly],
    [t.facts.records, config.dataProvider === 'sql' ? 'PostgreSQL' : t.facts.json],
    [t.facts.music, config.musicSource === 'cloud' ? t.facts.cloud : t.facts.local],
    [t.facts.hosting, config.radioHostsMode ? t.on : t.off],
    [t.facts.payments, config.donationInfo?.displayName ?? t.off],
    [t.facts.timeZone, config.timeZone],
  ]
  return (
    <div class="set-up">
      <section>
        <h2>{t.setUp}</h2>
        <dl class="set-up-facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {may({ super: true }) && <Backup />}
      </section>
      <section>
        <h2>{t.capabilities}</h2>
        <ul class="capabilities">
          {(Object.keys(config.capabilities) as Capability[]).map((name) => (
            <li key={name} data-on={config.capabilities[name]}>
              <Icon name={config.capabilities[name] ? 'check' : 'close'} size={18} />
              <span>
                {t.capability[name]}
                {!config.capabilities[name] && <span class="hint">{missingFor(name, config, t)}</span>}
              </span>
              {!config.capabilities[name] && <Badge>{t.off}</Badge>}
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}

/** The settings that an absent capability lacks. */
function missingFor(name: Capability, config: PublicConfig, t: StationTexts): string {
  if (name === 'donations' && !config.donationInfo) return t.missing.payments
  const settings = [
    ...(['jingles', 'phrases', 'backgroundMusic'].includes(name) && !config.streamMode
      ? ['STREAM_MODE']
      : []),
    ...(name === 'webPush' && config.capabilities.history ? ['WEB_PUSH'] : []),
    ...(name === 'backgroundMusic' && !config.radioHostsMode ? ['RADIO_HOSTS_MODE'] : []),
  ]
  return settings.length ? t.missing.settings(settings.join(', ')) : t.missing.storage
}

/** The browser saves it while the station sends it. */
function Backup() {
  const t = useStationTexts()
  const [withMedia, setWithMedia] = useState(false)
  return (
    <div class="backup">
      <h2>{t.backup}</h2>
      <p class="hint">{t.backupAbout}</p>
      <label class="switch">
        <input
          type="checkbox"
          checked={withMedia}
          onChange={({ currentTarget }) => setWithMedia(currentTarget.checked)}
        />
        {t.backupMedia}
      </label>
      <p>
        <a class="button" href={apiUrl(`/api/admin/backup?media=${withMedia}`)} download>
          {t.backupDownload}
        </a>
      </p>
    </div>
  )
}
