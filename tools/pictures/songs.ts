import type { Mode } from '@solstice/contracts'

/** An album of the pictures' library. Its sound and its cover are made of a piece of the demo library. */
export interface Album {
  artist: string
  title: string
  year: number
  /** Degrees by which the colours of the cover are turned; 0 for the artists of the demo library. */
  hue: number
  songs: Record<Mode, string[]>
}

/** Invented, like the artists of the demo library, which come first. */
export const albums: Album[] = [
  {
    artist: 'Amber Tramway',
    title: 'Timetable for a Warm Town',
    year: 2024,
    hue: 0,
    songs: {
      day: ['First Tram', 'Market at Noon', 'Depot Lights', 'The Long Way Round by the Botanical Garden'],
      night: ['Last Stop, Empty Seats'],
    },
  },
  {
    artist: 'Linden & Salt',
    title: 'Weather Letters',
    year: 2020,
    hue: 0,
    songs: {
      day: ['Salt on the Railing', 'Harbour Before Rain', 'Breakwater'],
      night: ['Northern Platform', 'Low Tide', 'Fog Signal'],
    },
  },
  {
    artist: 'Paper Meridian',
    title: 'Maps Without Borders',
    year: 2023,
    hue: 0,
    songs: {
      day: ['Bicycle Weather', 'Paper Boats', 'Atlas of Small Rivers', 'Compass Rose'],
      night: ['Moon over Gravel', 'Contour Lines'],
    },
  },
  {
    artist: 'Slow Orchard',
    title: 'Kitchen Light',
    year: 2021,
    hue: 0,
    songs: {
      day: ['Long Table', 'Warm Windowsill', 'Plum Jam', 'Blue Enamel Kettle'],
      night: ['Last Window Lit', 'Frost Warning'],
    },
  },
  {
    artist: 'Тиха Пристань',
    title: 'Вечірня розмова',
    year: 2022,
    hue: 0,
    songs: {
      day: ['Липова алея', 'Котики та сніг', 'Ранок на Подолі', 'Сім вікон навпроти старої аптеки'],
      night: ['Ліхтарі над водою', 'Останній трамвай'],
    },
  },
  {
    artist: 'Kiosk Nineteen',
    title: 'Change for a Ten',
    year: 2019,
    hue: 150,
    songs: { day: ['Newsprint', 'Peppermint Receipt', 'Open Until Late'], night: ['Neon, Mostly'] },
  },
  {
    artist: 'Вересень і Вітер',
    title: 'Листи без марок',
    year: 2023,
    hue: 40,
    songs: { day: ['Паперовий змій', 'Яблука на підвіконні', 'Поштова скринька'], night: ['Порожній перон'] },
  },
  {
    artist: 'Marta Kestrel Trio',
    title: 'Standing Room',
    year: 2018,
    hue: 200,
    songs: {
      day: ['Brushes for Breakfast', 'Elevator to the Roof'],
      night: ['After the Second Set', 'Coat Check'],
    },
  },
  {
    artist: 'Tin Lighthouse',
    title: 'A Signal, Repeating',
    year: 2025,
    hue: 260,
    songs: { day: ['Semaphore', 'Gulls on the Aerial'], night: ['Rotating Lamp', 'Nine Seconds Dark'] },
  },
  {
    artist: 'The Borrowed Umbrellas',
    title: 'Chance of Showers',
    year: 2022,
    hue: 310,
    songs: { day: ['Puddle Choir', 'Sixty Percent', 'Your Coat, My Pocket'], night: ['Drizzle Waltz'] },
  },
  {
    artist: 'Сто Перша Кав’ярня',
    title: 'Друге горня',
    year: 2024,
    hue: 100,
    songs: { day: ['Кориця', 'Столик біля вікна', 'Решта на чай'], night: ['Зачиняємо о дев’ятій'] },
  },
  {
    artist: 'Velvet Timetable',
    title: 'Platform Music',
    year: 2021,
    hue: 230,
    songs: {
      day: ['Express to the Coast', 'Two Minutes Late'],
      night: ['Sleeper Car', 'Window Seat, Facing Back'],
    },
  },
]

/** Artists beside those of the demo library who have a picture. */
export const pictured = ['Вересень і Вітер', 'Tin Lighthouse', 'The Borrowed Umbrellas', 'Marta Kestrel Trio']

/** Lines of lyrics for songs whose piece has none. */
export const lines = [
  'The first tram leaves the depot',
  'before the birds have tuned,',
  'and every window carries',
  'a square of borrowed moon.',
  '',
  'We count the stops together',
  'in a language made of light;',
  'the driver hums the weather',
  'that he promised us last night.',
  '',
  'Oh slow down, slow down, city,',
  'there is music in the wire:',
  'the river is an orchestra,',
  'the bridges are a choir.',
  '',
  'Somebody left a window',
  'half open to the rain,',
  'and all the notes that gather there',
  'are coming home again.',
]
