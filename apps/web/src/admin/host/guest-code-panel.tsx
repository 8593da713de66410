import type { Locale } from '@solstice/contracts'
import { useId, useState } from 'preact/hooks'
import { pathOf } from '../../ui/language/language.ts'
import { useNow } from '../../ui/use-now.ts'
import { Confirm } from '../confirm.tsx'
import { PanelSection } from './panel-section.tsx'
import { useStudio } from './studio-context.ts'

const DEFAULT_CODE_HOURS = 8
const MAX_CODE_HOURS = 168
const MINUTE_MS = 60_000

/** The access code of guests: shown and revoked, or created. */
export function GuestCodePanel() {
  const { state, t } = useStudio()
  const { code } = state
  return (
    <PanelSection title={t.code}>
      {code.code ? <ValidCode code={code.code} expiresAt={code.expiresAt} /> : <NewCode />}
    </PanelSection>
  )
}

function ValidCode({ code, expiresAt }: { code: string; expiresAt: number }) {
  const { host, connection, locale, t } = useStudio()
  const [copied, setCopied] = useState<string | null>(null)
  useNow(MINUTE_MS / 2)
  const minutes = Math.max(0, Math.ceil((expiresAt - connection.stationNowMs()) / MINUTE_MS))
  const link = `${location.origin}${pathOf({ page: 'guest', locale })}#code=${encodeURIComponent(code)}`
  const copy = (text: string) =>
    void navigator.clipboard?.writeText(text).then(
      () => setCopied(text),
      () => {},
    )
  return (
    <>
      <p class="guest-code">
        <code>{code}</code>{' '}
        <span class="hint">
          {t.codeUntil(formatMoment(expiresAt, locale))} · {t.codeLeft(minutes)}
        </span>
      </p>
      <div class="row">
        <button type="button" class="button" onClick={() => copy(link)}>
          {copied === link ? t.copied : t.copyLink}
        </button>
        <button type="button" class="plain" onClick={() => copy(code)}>
          {copied === code ? t.copied : t.copyCode}
        </button>
        <Confirm
          label={t.renewCode}
          sure={t.renewCodeSure(DEFAULT_CODE_HOURS)}
          yes={t.renewCodeYes}
          no={t.no}
          onYes={() => host.renewCode(DEFAULT_CODE_HOURS)}
        />
        <Confirm label={t.endCode} sure={t.endCodeSure} yes={t.endCodeYes} no={t.no} onYes={host.endCode} />
      </div>
    </>
  )
}

function NewCode() {
  const { host, t } = useStudio()
  const [hours, setHours] = useState(DEFAULT_CODE_HOURS)
  const hoursId = useId()
  return (
    <>
      <p class="hint">{t.noCode}</p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          void host.makeCode(hours)
        }}
      >
        <label for={hoursId}>{t.codeHours}</label>
        <input
          id={hoursId}
          type="number"
          min={1}
          max={MAX_CODE_HOURS}
          value={hours}
          onInput={(event) => setHours(event.currentTarget.valueAsNumber || DEFAULT_CODE_HOURS)}
        />
        <button type="submit" class="button">
          {t.makeCode}
        </button>
      </form>
    </>
  )
}

const formatMoment = (epochMs: number, locale: Locale) =>
  new Date(epochMs).toLocaleString(locale === 'en' ? 'en-GB' : locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
  })
