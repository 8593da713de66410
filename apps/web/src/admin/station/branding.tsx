import { type Locale, locales, type Mode, type Settings } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { themes } from '../../ui/theme.ts'
import { useCommand } from '../data/commands.ts'
import { useAdmin } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { Field } from '../ui/fields/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { List } from '../ui/state/list.tsx'
import { DirectoryFields } from './directory-fields.tsx'
import { useStationTexts } from './texts.ts'

type BrandingSettings = Settings['branding']
type Names = BrandingSettings['byLang'][Locale]

const MODES = ['day', 'night'] as const
const MIN = 2
const MAX = 25

/** The station's name and messenger in each language as listeners will see them, and its entry in directories. */
export function Branding() {
  const settings = useQuery('GET /api/admin/settings')
  return (
    <List state={settings} rows={6}>
      {({ settings: { branding } }) => <Form saved={branding} />}
    </List>
  )
}

function Form({ saved }: { saved: BrandingSettings }) {
  const t = useStationTexts()
  const { may } = useAdmin()
  /** The text as typed; until then, and after saving, that of the station. */
  const [draft, setDraft] = useState<BrandingSettings | null>(null)
  const branding = draft ?? saved
  const { run, isBusy } = useCommand('POST /api/admin/settings', { outdates: ['/api/admin/settings'] })
  const isChanged = JSON.stringify(branding) !== JSON.stringify(saved)
  const isReady = isChanged && !isBusy
  const submit = async (event: Event) => {
    event.preventDefault()
    if (isReady && (await run({ body: { branding } }))) setDraft(null)
  }
  const change = (locale: Locale, name: keyof Names, value: string) =>
    setDraft({
      ...branding,
      byLang: { ...branding.byLang, [locale]: { ...branding.byLang[locale], [name]: value } },
    })
  const canSave = may({ capabilities: ['editSettings'] })
  return (
    <form class="branding" onSubmit={submit}>
      {!canSave && <p class="hint">{t.settingsOff}</p>}
      {locales.map((locale) => (
        <fieldset key={locale} class="branding-language" lang={locale}>
          <legend>{t.languages[locale]}</legend>
          <div class="branding-previews">
            {MODES.map((mode) => (
              <Preview key={mode} mode={mode} names={branding.byLang[locale]} url={branding.messenger_url} />
            ))}
          </div>
          <div class="branding-fields">
            {(['dayRadioName', 'nightRadioName', 'messengerLabel'] as const).map((name) => {
              const value = branding.byLang[locale][name]
              return (
                <Field
                  key={name}
                  label={t.branding[name]}
                  value={value}
                  onValue={(next) => change(locale, name, next)}
                  maxLength={MAX}
                  readOnly={!canSave}
                  error={draft && value.trim().length < MIN ? t.tooShort(MIN, MAX) : null}
                />
              )
            })}
          </div>
        </fieldset>
      ))}
      <Field
        type="url"
        label={t.branding.messenger_url}
        hint={t.urlHint}
        value={branding.messenger_url}
        onValue={(messenger_url) => setDraft({ ...branding, messenger_url })}
        maxLength={50}
        readOnly={!canSave}
      />
      <DirectoryFields
        entry={branding.directory}
        isReadOnly={!canSave}
        onChange={(directory) => setDraft({ ...branding, directory })}
      />
      {canSave && (
        <div class="branding-actions">
          <button type="submit" class="button primary" aria-disabled={!isReady}>
            {t.save}
          </button>
          {isChanged && (
            <button type="button" class="text-button" onClick={() => setDraft(null)}>
              {t.discard}
            </button>
          )}
        </div>
      )}
    </form>
  )
}

/** The head of the listener's page in a mode, as it would be. */
function Preview({ mode, names, url }: { mode: Mode; names: Names; url: string }) {
  const t = useStationTexts()
  const { sky, ink, inkSoft, light } = themes[mode]
  const colours = { '--sky': sky, '--ink': ink, '--ink-soft': inkSoft, '--light': light }
  const name = mode === 'day' ? names.dayRadioName : names.nightRadioName
  return (
    <figure class="branding-preview" style={colours} aria-label={t.preview[mode]}>
      <span class="branding-name">{name || '…'}</span>
      <span class="branding-light" aria-hidden="true" />
      {/^https?:\/\/./.test(url) && (
        <span class="branding-link">
          <Icon name="message" size={18} />
          {names.messengerLabel || '…'}
        </span>
      )}
    </figure>
  )
}
