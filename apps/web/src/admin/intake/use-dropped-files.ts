import { useEffect, useRef } from 'preact/hooks'
import { usePanel } from '../data/panel.ts'

/** Takes files dropped anywhere in the panel while the component is shown. */
export function useDroppedFiles(label: string, take: (files: File[]) => void): void {
  const { intake } = usePanel()
  const current = useRef(take)
  current.current = take
  useEffect(() => {
    const own = { label, take: (files: File[]) => current.current(files) }
    intake.taker.set(own)
    return () => {
      if (intake.taker.value === own) intake.taker.set(null)
    }
  }, [intake, label])
}
