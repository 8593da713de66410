import './fields.css'
import { useId, useState } from 'preact/hooks'
import { Icon } from '../icon.tsx'

/** Takes files that are dropped or chosen. What they are and how many is for the caller to check. */
export function FileDrop(props: {
  label: string
  hint: string
  /** As the attribute `accept`: `audio/mpeg,.mp3`. */
  accept: string
  multiple?: boolean
  onFiles: (files: File[]) => void
}) {
  const { label, hint, accept, multiple = false, onFiles } = props
  const id = useId()
  const [isOver, setOver] = useState(false)
  const take = (files: FileList | null | undefined) => files?.length && onFiles([...files])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files may be dropped here; the keyboard has the input
    <div
      class="file-drop"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer?.files)
      }}
    >
      <input
        id={id}
        class="unseen"
        type="file"
        accept={accept}
        multiple={multiple}
        onChange={({ currentTarget }) => {
          take(currentTarget.files)
          currentTarget.value = ''
        }}
      />
      <label for={id}>
        <Icon name="upload" />
        <b>{label}</b>
        <span>{hint}</span>
      </label>
    </div>
  )
}
