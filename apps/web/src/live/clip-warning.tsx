import './level-meter.css'
import { useEffect, useState } from 'preact/hooks'
import type { Microphone } from './microphone.ts'

/** From here on a voice is cut off at the edges, as part of full scale: −0.1 dB. */
const CLIPPED = 0.99
/** Long enough to be read. */
const SHOWN_MS = 4_000

/** Says that the own voice clips, for as long as it does and a moment longer. */
export function ClipWarning({ microphone, text }: { microphone: Microphone; text: string }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = microphone.level.subscribe(({ peak }) => {
      if (peak < CLIPPED) return
      setShown(true)
      clearTimeout(timer)
      timer = setTimeout(() => setShown(false), SHOWN_MS)
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [microphone])
  return (
    <p class="meter-clips" role="status">
      {isShown ? text : null}
    </p>
  )
}
