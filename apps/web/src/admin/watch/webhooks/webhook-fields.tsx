import type { Webhook, WebhookEventType } from '@solstice/contracts'
import { parsedUrl } from '../../../ui/parsed-url.ts'
import { Field } from '../../ui/fields/field.tsx'
import { useWatchTexts } from '../texts.ts'

export type WebhookChoice = Pick<Webhook, 'url' | 'types' | 'description'>

/** Whether the station may be asked to take it. */
export const isChosen = ({ url, types }: WebhookChoice): boolean =>
  parsedUrl(url) !== null && types.length > 0

/** Where a webhook goes and what it is told. */
export function WebhookFields(props: { value: WebhookChoice; onValue: (value: WebhookChoice) => void }) {
  const { value, onValue } = props
  const t = useWatchTexts()
  const toggle = (type: WebhookEventType) => {
    const isLeft = value.types.includes(type)
    const types = isLeft ? value.types.filter((one) => one !== type) : [...value.types, type]
    onValue({ ...value, types })
  }
  return (
    <>
      <Field
        label={t.url}
        hint={t.urlHint}
        type="url"
        value={value.url}
        onValue={(url) => onValue({ ...value, url: url.trim() })}
        autocomplete="off"
        placeholder="https://"
        maxLength={500}
      />
      <Field
        label={t.description}
        hint={t.descriptionHint}
        value={value.description}
        onValue={(description) => onValue({ ...value, description })}
        autocomplete="off"
        maxLength={200}
      />
      <fieldset class="choices hook-types">
        <legend>{t.events}</legend>
        {(Object.keys(t.types) as WebhookEventType[]).map((type) => (
          <label key={type}>
            <input type="checkbox" checked={value.types.includes(type)} onChange={() => toggle(type)} />
            {t.types[type]}
          </label>
        ))}
      </fieldset>
    </>
  )
}
