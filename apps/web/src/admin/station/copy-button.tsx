import { CopyButton as Copy } from '../ui/fields/copy-button.tsx'
import { useStationTexts } from './texts.ts'

/** Copies a text of this part. */
export function CopyButton({ text, about }: { text: string; about?: string }) {
  const t = useStationTexts()
  return <Copy text={text} about={about} words={t} />
}
