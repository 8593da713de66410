import './speakers.css'
import { useEffect, useState } from 'preact/hooks'
import { followLevel, isSpeaking, type Speakers } from './speakers.ts'

/** A dot before a name, filled while its owner speaks. */
export function SpeakingMark({ speakers, id, text }: { speakers: Speakers; id: string; text: string }) {
  const [isOn, setOn] = useState(false)
  useEffect(() => followLevel(speakers, id, (level) => setOn(isSpeaking(level))), [speakers, id])
  return (
    <span class="speaking" data-on={isOn}>
      {isOn && <span class="unseen">{text}</span>}
    </span>
  )
}
