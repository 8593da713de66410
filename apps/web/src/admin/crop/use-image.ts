import { useEffect, useState } from 'preact/hooks'
import { useToasts } from '../data/panel.ts'
import { useCropTexts } from './texts.ts'

/** The image in a file, null until it is read. One that can't be read is reported, and `onUnreadable` called. */
export function useImage(file: File, onUnreadable: () => void): ImageBitmap | null {
  const t = useCropTexts()
  const toasts = useToasts()
  const [image, setImage] = useState<ImageBitmap | null>(null)
  useEffect(() => {
    let isGone = false
    let opened: ImageBitmap | null = null
    createImageBitmap(file).then(
      (read) => {
        opened = read
        if (isGone) read.close()
        else setImage(read)
      },
      () => {
        if (isGone) return
        toasts.show({ is: 'failed', text: t.unreadable(file.name) })
        onUnreadable()
      },
    )
    return () => {
      isGone = true
      opened?.close()
    }
  }, [file])
  return image
}
