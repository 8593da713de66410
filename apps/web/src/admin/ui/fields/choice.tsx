import './choice.css'
import { useId } from 'preact/hooks'

/** One of a few that are always seen, side by side. */
export function Choice(props: {
  legend: string
  options: readonly { id: string; title: string }[]
  chosen: string
  onChoose: (id: string) => void
  isLegendUnseen?: boolean
}) {
  const id = useId()
  const { legend, options, chosen, onChoose, isLegendUnseen = false } = props
  return (
    <fieldset class="pick">
      <legend class={isLegendUnseen ? 'unseen' : ''}>{legend}</legend>
      {options.map((option) => (
        <label key={option.id}>
          <input
            class="unseen"
            type="radio"
            name={id}
            checked={option.id === chosen}
            onChange={() => onChoose(option.id)}
          />
          <span>{option.title}</span>
        </label>
      ))}
    </fieldset>
  )
}
