import type { Settings } from '@solstice/contracts'
import { Field } from '../ui/fields/field.tsx'
import { useDirectoryTexts } from './directory-texts.ts'

type Entry = Settings['branding']['directory']

const FIELDS = [
  { name: 'description', maxLength: 200 },
  { name: 'genre', maxLength: 60 },
  { name: 'url', type: 'url', maxLength: 200 },
  { name: 'logo', type: 'url', maxLength: 200 },
  { name: 'countryCode', maxLength: 2 },
  { name: 'languageCodes', maxLength: 40 },
  { name: 'geoLatLong', maxLength: 40 },
  { name: 'mainStreamUrl', type: 'url', maxLength: 200 },
] as const satisfies { name: keyof Entry; type?: 'url'; maxLength: number }[]

/** The entry of this station in directories of radio stations, and in the players of some. */
export function DirectoryFields(props: {
  entry: Entry
  isReadOnly: boolean
  onChange: (entry: Entry) => void
}) {
  const { entry, isReadOnly, onChange } = props
  const t = useDirectoryTexts()
  return (
    <fieldset class="branding-language">
      <legend>{t.title}</legend>
      <p class="hint">{t.about}</p>
      <label class="switch">
        <input
          type="checkbox"
          checked={entry.isPublic}
          disabled={isReadOnly}
          onChange={(event) => onChange({ ...entry, isPublic: event.currentTarget.checked })}
        />
        {t.isPublic}
      </label>
      <div class="branding-fields">
        {FIELDS.map(({ name, ...input }) => (
          <Field
            key={name}
            {...input}
            label={t.fields[name]}
            hint={t.hints[name]}
            value={entry[name]}
            onValue={(value) => onChange({ ...entry, [name]: value })}
            readOnly={isReadOnly}
          />
        ))}
      </div>
    </fieldset>
  )
}
