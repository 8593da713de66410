import { useAdmin } from '../data/panel.ts'
import { type OnAirTexts, onAirTexts } from './texts.ts'

export const useOnAirTexts = (): OnAirTexts => onAirTexts[useAdmin().locale]
