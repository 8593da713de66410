import type { Locale } from '@solstice/contracts'
import { useAdmin } from '../data/panel.ts'

const uk = {
  frame: 'Частина, що залишиться',
  hint: 'Перетягніть зображення або рухайте його стрілками. Збережеться портрет 9:20 у форматі JPEG.',
  zoom: 'Збільшення',
  save: 'Зберегти зображення',
  unreadable: (name: string) => `Не вдалося прочитати зображення з файлу ${name}.`,
}

type CropTexts = typeof uk

const en: CropTexts = {
  frame: 'The part to keep',
  hint: 'Drag the image, or move it with the arrow keys. A 9:20 portrait will be saved as JPEG.',
  zoom: 'Zoom',
  save: 'Save the image',
  unreadable: (name) => `Couldn’t read an image from ${name}.`,
}

const texts: Record<Locale, CropTexts> = { uk, en }

export const useCropTexts = (): CropTexts => texts[useAdmin().locale]
