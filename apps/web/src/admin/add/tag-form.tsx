import { useAddTexts, useUploadQueue } from './add-context.ts'
import { firstTags, type Tags, type UploadItem } from './upload-item.ts'

/** The tags of a track before it is saved. Enter saves it and goes to the next one. */
export function TagForm({ item, name }: { item: UploadItem; name: string }) {
  const t = useAddTexts()
  const queue = useUploadQueue()
  if (!item.uploaded) return null
  const tags = item.tags ?? firstTags(item.uploaded)
  const field = (
    key: keyof Tags,
    label: string,
    more: { required?: boolean; inputMode?: 'numeric' } = {},
  ) => (
    <label class={`add-tag add-${key}`}>
      <span>{label}</span>
      <input
        {...more}
        value={tags[key]}
        maxLength={key === 'year' ? 4 : 300}
        autocomplete="off"
        onInput={({ currentTarget }) => queue.write(item.id, { ...tags, [key]: currentTarget.value })}
      />
    </label>
  )
  return (
    <form
      class="add-tags"
      aria-label={t.tagsOf(name)}
      onSubmit={(event) => {
        event.preventDefault()
        focusNextForm(event.currentTarget)
        queue.approve(item.id)
      }}
    >
      {field('title', t.tagTitle, { required: true })}
      {field('artist', t.tagArtist, { required: true })}
      {field('album', t.tagAlbum)}
      {field('year', t.tagYear, { inputMode: 'numeric' })}
      <button type="submit" class="button">
        {t.save}
      </button>
    </form>
  )
}

/** The form goes away once it is sent, and the focus must not go with it. */
function focusNextForm(form: HTMLFormElement): void {
  const forms = [...document.querySelectorAll<HTMLFormElement>('.add-tags')]
  const next = forms[forms.indexOf(form) + 1] ?? forms.find((other) => other !== form)
  const target = next?.querySelector('input') ?? form.closest('li')?.querySelector<HTMLElement>('button')
  target?.focus()
}
