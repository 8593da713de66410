import { useAdmin } from '../data/panel.ts'
import { type LibraryTexts, libraryTexts } from './texts.ts'

export const useLibraryTexts = (): LibraryTexts => libraryTexts[useAdmin().locale]
