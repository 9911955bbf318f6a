/**
 * What an assistant might remember of one user after two years: written for this
 * bench. A line is a memory: its number, its name, its text.
 */
const lines = `
1|Home address|Mara lives at 14 Lindengasse in Graz, on the third floor without a lift
2|Landlord|The flat belongs to Mr Petrovic, who answers messages on weekdays only
3|Rent|She pays 840 euros on the first of each month by standing order
4|Heating|The radiator in the bedroom rattles; the caretaker bled it in November 2025
5|Spare key|A second key lies with the neighbour Hannelore on the ground floor
6|Neighbour upstairs|The student above plays drums until ten and has promised to use pads
7|Balcony|Tomatoes and basil grow on the balcony, the mint died in the frost
8|Waste collection|Paper is picked up every second Thursday, glass has to be carried to the corner
9|Internet provider|The router is from Magenta and needs a restart about once a week
10|Moving plans|She thinks of looking for a place with a garden once her contract ends in 2027
11|Job|Mara is a hydrologist at the provincial office and models floods of the Mur
12|Supervisor|Her boss is Dr Seidl, who prefers short messages and hates calls before nine
13|Colleague Jonas|Jonas shares her office and brings cake on Fridays
14|Working hours|She works thirty hours, never on Wednesdays
15|Salary talk|The next review of her pay is planned for March 2026
16|Flood report|The report on the Mur has to be with the ministry by 30 April 2026
17|Conference|She gives a talk on sediment in Delft in September
18|Home office|On Mondays and Fridays she works from the kitchen table
19|Commute|She cycles to work along the river, twenty minutes each way
20|Work laptop|The computer from the office is a ThinkPad whose fan is loud
21|Mother|Her mother Ilse is 71 and lives alone in Bruck
22|Mother's health|Ilse had a hip replaced in January 2025 and walks with a stick
23|Father|Her father died in 2014; he was a train driver
24|Brother|Her brother Tobias runs a bakery in Salzburg and rarely has time
25|Niece|Lena, the daughter of Tobias, turns six on 3 May
26|Nephew|Paul, the son of Tobias, was born in August 2024
27|Grandmother|Oma Resi taught her to knit and is 96
28|Partner|She has been together with Viktor since a canoe trip in 2021
29|Viktor's work|Viktor repairs church organs and is away for weeks
30|Wedding|They want to marry quietly in autumn 2026 at the registry office
31|Best friend|Samira has been her closest friend since school and lives in Lisbon
32|Samira's visit|Samira comes for ten days at Easter
33|Godchild|Mara is godmother of Emil, the son of Samira
34|Book club|The reading circle meets on the last Tuesday of the month at Ines's place
35|Choir|She sings alto; rehearsals are on Thursday evenings
36|Choir concert|The Requiem by Fauré is performed on 21 March 2026 in the cathedral
37|Old flatmate|Her former flatmate Birgit still owes her 120 euros
38|Running partner|She jogs with Petra on Sunday mornings, in any weather
39|Neighbour's birthday|Hannelore turns eighty on 9 June and likes marzipan
40|Falling out|She has not spoken to her cousin Doris since the quarrel over the will
41|Nut allergy|Hazelnuts and walnuts give her hives; almonds are fine
42|Penicillin|She must not be given penicillin; it made her faint as a child
43|Family doctor|Her physician is Dr Amann in the Sporgasse, closed on Wednesday afternoons
44|Dentist|Dr Hofer filled a molar in October 2025 and wants to see her in April
45|Glasses|Her eyes are minus 2.5 on the left and minus 3 on the right
46|Migraine|Attacks come with thunderstorms; she takes sumatriptan and lies in the dark
47|Back pain|Her lower back hurts after long days at the desk; swimming helps
48|Blood type|She is A negative and gives blood twice a year
49|Sleep|She sleeps badly at full moon and wears earplugs
50|Vaccination|The tick vaccine has to be refreshed in summer 2027
51|Vegetarian|She has eaten no meat since 2009, fish now and then
52|Coffee|One espresso after breakfast, none after two o'clock
53|Tea|She likes genmaicha and has no use for fruit infusions
54|Favourite dish|Käsespätzle with a lot of fried onions is what she asks for on birthdays
55|Dislikes|Coriander tastes of soap to her
56|Alcohol|She drinks a glass of Welschriesling at most
57|Sourdough|The starter is called Gustl and is fed on Saturdays
58|Farmers' market|She buys cheese from the stall of Familie Zöhrer on Saturdays
59|Favourite restaurant|For evenings out she picks the Thai place in the Mariahilferstrasse
60|Breakfast|Porridge with apple on weekdays, eggs on Sundays
61|Cat|Her cat Moritz is eleven, grey and afraid of vacuum cleaners
62|Cat food|Moritz gets kidney diet food twice a day, 60 grams each
63|Veterinarian|Dr Wallner in Andritz looks after Moritz
64|Cat sitter|Hannelore feeds Moritz when nobody is home
65|Cat medicine|Half a tablet of Fortekor each morning, hidden in cheese
66|Former dog|As a girl she had a dachshund called Strupp
67|Bird feeder|Nuthatches come to the feeder by the kitchen window
68|Bees|Viktor would like to keep two hives at his uncle's
69|Aquarium|The fish tank was given away in 2023
70|Horses|She fell from a horse at twelve and keeps away from them
71|Bicycle|She rides a green Puch with a basket; the lock code is with Viktor
72|Bike repair|The rear brake was renewed in May 2025 at Radlager
73|Car|They have no car of their own and use the sharing service at the station
74|Driving licence|Her licence was issued in Leoben in 2006
75|Train card|She has the Klimaticket, which runs until 14 February 2027
76|Fear of flying|She takes pills before each flight and sits on the aisle
77|Passport|Her passport expires on 2 November 2026
78|Trip to Iceland|In July 2025 they hiked the Laugavegur in rain
79|Next holiday|Two weeks in Galicia are booked for June 2026
80|Hotel wish|Quiet rooms away from the lift, never carpets
81|Packing|She always forgets a charger and wants to be reminded of it
82|Seasick|Boats on open sea make her sick, rivers do not
83|Frequent traveller|Her number with ÖBB is stored in the app, not on paper
84|Luggage|The blue suitcase has a broken wheel
85|Language at the border|She speaks Slovene well enough to order and to apologise
86|Spanish lessons|She has learned Spanish with an app since January and is at level A2
87|French|Her French is good; she spent a year in Lyon
88|English|She writes papers in English and finds phone calls harder
89|Sign language|She knows the alphabet of Austrian sign language from a course
90|Latin|She still likes to quote Ovid
91|Piano|There is an upright piano from her aunt, tuned each spring
92|Cello|She gave up the cello at sixteen and regrets it
93|Favourite composer|Nothing calms her like Bach's partitas
94|Band|She has seen Element of Crime seven times
95|Podcast|On the way to work she listens to a podcast about rivers
96|Vinyl|The record player needs a new needle
97|Festival|They go to the Diagonale, the film festival, each March
98|Favourite film|She has seen The Third Man more often than any other film
99|Series|They are in the third season of a Danish crime series
100|Cinema|She likes the front rows of the Schubertkino
101|Favourite novel|The Wall by Marlen Haushofer is the book she gives away most
102|Reading now|She is halfway through a biography of Alexander von Humboldt
103|Library|Books from the city library are due every four weeks
104|E-reader|She dropped her e-reader in the bath and has no new one
105|Poetry|She knows a dozen poems by Ingeborg Bachmann by heart
106|Newspaper|The Falter comes on Wednesdays
107|Comics|As a child she collected Lucky Luke
108|Diary|She writes three sentences each night in a notebook without lines
109|Handwriting|She is left-handed and smears ink
110|Typeface|She sets everything in Garamond if she may choose
111|Yoga|A class on Tuesday mornings at seven
112|Half marathon|She wants to finish the half marathon in Graz in October 2026 in under two hours
113|Best time|Her fastest ten kilometres took 51 minutes
114|Swimming|She swims forty lengths in the Margaretenbad when it is open
115|Skiing|She prefers touring to slopes and owns an airbag
116|Climbing|Heights above ten metres make her dizzy, so no climbing
117|Canoe|The red canoe is stored in Viktor's workshop
118|Knee|Her right knee hurts on the way downhill; poles help
119|Running shoes|She takes size 39.5 in Brooks, replaced in August 2025
120|Steps|She aims for nine thousand steps a day
121|Knitting|A grey cardigan has been without sleeves for two years
122|Sewing machine|The old Singer of Oma Resi still runs
123|Pottery|She took a course in pottery and made eleven crooked bowls
124|Photography|Her camera is a Fuji X-T30 with one lens of 35 millimetres
125|Mushrooms|She knows the places for chanterelles near Stiwoll and tells nobody
126|Gardening dream|One day she wants quince trees
127|Jigsaw puzzles|Puzzles of a thousand pieces are for Christmas
128|Board games|She beats everybody at Carcassonne and dislikes Monopoly
129|Crosswords|The one in the weekend paper, with Ilse on the telephone
130|Astronomy|There is a small telescope in the cellar from her school days
131|Savings|Eleven thousand euros lie in the account for the flat
132|Bank|Her account is with Steiermärkische Sparkasse
133|Tax return|The adviser Frau Kogler does the taxes; receipts are in the blue folder
134|Insurance|Household insurance with Grawe covers the bicycle up to 1,500 euros
135|Pension|She pays 100 euros a month into a private pension
136|Donations|Every December she gives 200 euros to Doctors Without Borders
137|Budget|She wants to spend no more than 350 euros a month on food and going out
138|Subscription|The gym was cancelled; the last payment was in September 2025
139|Loan|She lent Viktor 2,000 euros for a lathe
140|Inheritance|The meadow in Bruck belongs to her and Tobias in equal parts
141|Password manager|All passwords are in Bitwarden; she must not be asked for the main one
142|Phone|Her phone is a Fairphone 5, usually on silent
143|E-mail habits|She reads mail at eight and at four and wants summaries
144|Calendar|Private dates are green in her calendar, work is grey
145|Backup|Photos are copied to the black disk on the first Sunday of the month
146|Printer|The printer only works by cable
147|Smart home|She wants no speakers that listen
148|Computer at home|At home she uses Linux Mint on an old desktop
149|Programming|She writes Python and a little R
150|Social networks|She left Facebook in 2019 and looks at Mastodon at times
151|Dishwasher|The dishwasher loses water at the door; a technician comes on 12 December
152|Vacuum|Nobody may vacuum while Moritz is asleep
153|Kitchen knife|The good knife may not go in the dishwasher
154|Curtains|She looks for blue linen curtains, 240 centimetres long
155|Mattress|The mattress is from 2016 and too soft
156|Sofa|The couch is a hand-me-down from Birgit and its springs squeak
157|Lamp|The lamp above the table takes G9 bulbs
158|Paint|The bedroom walls are painted in a colour called Nebel
159|Washing machine|Wool is washed at twenty degrees by her alone
160|Cellar|Compartment 7 in the cellar, with the skis and the jam
161|Advent|She bakes Vanillekipferl, without nuts, on the first Sunday of Advent
162|Christmas|Christmas Eve is at Ilse's, the twenty-fifth with Viktor's parents
163|New Year|They stay home because of the fireworks and the cat
164|Birthday|Mara was born on 17 October 1986
165|Viktor's birthday|Viktor was born on 29 February 1984 and celebrates on the first of March
166|Gift idea Viktor|He would like a good loupe
167|Gift idea Ilse|A large-print edition of Adalbert Stifter
168|Gift idea Lena|A head lamp for reading under the blanket
169|Gifts in general|She wants no gifts that gather dust
170|Anniversary|12 August, the day of the canoe trip
171|Politics|She votes and does not wish to talk about it
172|Climate|She counts her flights and allows herself one every two years
173|Volunteering|She helps at the repair café on the second Saturday of the month
174|Petition|She collected signatures against the power station at the Mur
175|Faith|She left the church but likes to sit in empty ones
176|Funeral|She would like to be buried under a tree, without speeches
177|Superstition|She never puts a hat on a bed
178|Phobia|Moths in a room make her scream
179|Lift|She got stuck in a lift in 2017 and takes the stairs
180|Dark|She sleeps with the door ajar when she is alone
181|How to address her|She wants to be called Mara, never Frau Magister
182|Tone|Short answers, no exclamation marks
183|Units|Always metric, and the clock with twenty-four hours
184|Reminders|One reminder a day before is enough
185|Bad news|She wants bad news first
186|Decisions|Give her two options, not five
187|Language with the assistant|She writes in German when she is tired
188|Privacy|Nothing about Viktor's health may be noted
189|Jokes|Puns are welcome
190|Working with lists|She loves lists and hates nested ones
191|Project sediment|Model runs for the sediment paper are on the server called pegel
192|Co-author|Professor van Dijk in Delft writes the introduction
193|Paper deadline|The sediment manuscript is due on 15 July 2026
194|Reviewer|The second reviewer wanted an analysis of errors
195|Data set|Gauge data before 1951 are on paper and have to be typed in
196|Intern|The trainee Selin starts in February and will digitise old records
197|Ministry contact|Frau Mag. Berger at the ministry is the one to call about deadlines
198|Budget of the project|42,000 euros are left for field work
199|Drone|The drone may be flown only with permission from the airport
200|Boat|The office's boat is called Äsche and leaks
201|Team lunch|On Tuesdays the team eats at the Lendplatz
202|Office plant|The monstera in the office is watered by her on Mondays
203|Parking|There is no parking at the office for visitors
204|Badge|Her access card stops working every ninety days
205|Meeting habit|The weekly meeting is on Tuesday at ten and should end by half past
206|Microphone|Her headset crackles in video calls
207|Thesis student|Lukas writes his master's thesis on ice jams with her
208|Thesis date|Lukas defends on 18 June 2026
209|Field trip|Measurements at the weir take place in the first week of April
210|Safety|Life jackets are mandatory on the boat, and she checks
211|Leave|She has eleven days of holiday left for this year
212|Sick note|From the third day of illness the office wants a certificate
213|Union|She is a member of the staff council
214|Job offer|A company in Vienna offered her a position in 2025; she said no because of Viktor
215|Career wish|She would like to lead a small team one day, not a department
216|Mentor|Her old professor Frau Gruber still reads her drafts
217|Presentation|She is nervous before talks and practises in the shower
218|Podcast idea|She and Jonas think of a podcast about local streams
219|Course|She attends a course in machine learning on Wednesday evenings
220|Certificate|Her first aid certificate has to be renewed by May 2026
221|Ilse's phone|Ilse can be reached best before noon
222|Ilse's garden|The hedge in Bruck has to be cut in August
223|Ilse's medicine|Ilse takes blood thinners and must avoid grapefruit
224|Ilse's doctor|Her mother sees a cardiologist in Leoben every half year
225|Ilse's wish|Ilse would like to see the sea once more
226|Care|A nurse comes to Ilse on Mondays and Thursdays
227|Emergency call|Ilse wears a button that calls Mara first
228|Tobias's ovens|Tobias bought a new oven and is in debt for it
229|Lena's school|Lena starts school in September 2026
230|Lena's hobby|Lena collects snails and names them
231|Paul's sleep|Paul wakes at five
232|Viktor's allergy|Viktor cannot stand cats for long and takes antihistamines
233|Viktor's parents|His parents live in Maribor and speak Slovene at home
234|Viktor's workshop|The workshop is in an old mill near Frohnleiten
235|Viktor's car|He drives a white van full of pipes
236|Viktor's food|He eats everything but beetroot
237|Viktor's snoring|He snores on his back
238|Viktor's trip|From 10 to 28 February he works on an organ in Ljubljana
239|Samira's job|Samira restores tiles in Lisbon
240|Samira's diet|Samira has coeliac disease: nothing with gluten
241|Emil's gift|Emil, who is nine, wishes for a book about volcanoes
242|Ines|Ines from the reading circle is a lawyer for tenancy
243|Petra's injury|Petra tore a ligament in November and cannot run until spring
244|Jonas's baby|Jonas becomes a father in May
245|Birgit's wedding|Birgit marries in Hallstatt on 5 September 2026
246|Birgit's list|The wedding table of Birgit is at a shop in Salzburg
247|Dress|For Birgit's wedding she wants to wear the green dress, which has to be taken in
248|Tailor|The seamstress is called Frau Öztürk and needs two weeks
249|Hairdresser|She has her hair cut at Kamm & Co every eight weeks
250|Ring|Her ring finger is size 53
251|Recipe lentils|Lentils with vinegar the way her father made them, with a bay leaf
252|Recipe bread|Seventy per cent water, a night in the fridge, 230 degrees
253|Recipe jam|Apricot jam with a split vanilla pod, made in July
254|Recipe strudel|Oma Resi's dough needs a tablecloth and two people
255|Freezer|There is soup for three evenings in the freezer
256|Spice|She ran out of cumin
257|Pan|The cast-iron pan is never washed with soap
258|Oven|The oven is fifteen degrees too hot
259|Pressure cooker|She is afraid of the pressure cooker
260|Shopping habit|Groceries are bought on Saturdays by bicycle
261|Concert tickets|Two seats for Grigory Sokolov on 8 April are in the drawer
262|Theatre|She has a subscription at the Schauspielhaus, row six
263|Museum|The Joanneum card runs out in May
264|Exhibition|She wants to see the Klee exhibition in Bern before August
265|Dance|Viktor and she began tango and stopped after four lessons
266|Karaoke|Never ask her to do karaoke
267|Painting|A watercolour by her father hangs above the piano
268|Stamp collection|Her father's stamps are at Tobias's and were never valued
269|Radio|Ö1 is on from seven to eight each morning
270|Silence|She needs half an hour of silence after work
271|Storm damage|The hail of August 2025 broke the skylight; the insurance paid 640 euros
272|Noise complaint|The building next door will be renovated from March on, with noise from seven
273|House meeting|The owners meet on 4 February about the façade
274|Solar panels|Mr Petrovic refuses solar panels on the balcony
275|Electricity|She changed to a supplier of green electricity in 2024
276|Water meter|The meter is read in the first week of December
277|Chimney sweep|He comes in May and October, a note hangs in the stairwell
278|Moth trap|Pheromone traps against food moths are in both cupboards
279|Window|The kitchen window cannot be opened in winter
280|Doorbell|The doorbell does not work; visitors have to call
281|Lost scarf|She lost the red scarf from Samira on a train in December 2025
282|Stolen bicycle|Her previous bicycle was stolen in 2022 in front of the main station
283|Accident|In 2019 she was hit by a car at the Keplerbrücke and broke her collarbone
284|Scar|The scar on her chin is from a swing
285|First job|At eighteen she sold ice cream at Lake Stubenberg
286|School|She went to the grammar school in Bruck and failed one exam in chemistry
287|University|She studied in Graz and Lyon and finished in 2011
288|Doctorate|Her dissertation was about gravel bars
289|Childhood|Holidays were spent on a farm in the Gail valley
290|First love|Her first boyfriend is now the mayor of a small town
291|Reading lamp request|She would like suggestions for a warm lamp under 80 euros
292|Cycling tour|In May 2026 she wants to ride along the Drau with Samira
293|Learn to whittle|Viktor promised to teach her to carve spoons
294|Write letters|She resolved to write a letter on paper each month
295|Less screen|No phone in the bedroom since January
296|Swim in winter|She tried ice bathing once and never again
297|Tree planting|She wants to plant a walnut for Lena, although she cannot eat the nuts
298|Visit to Maribor|Viktor's parents expect them on the second Sunday of each month
299|Old camera roll|Three films from her father's camera were never developed
300|Will|She has not made a will and means to ask Ines about it
`

export interface LabelledMemory {
  readonly id: number
  readonly name: string
  readonly text: string
}

export const memoriesOf = (lines: string): ReadonlyArray<LabelledMemory> =>
  lines
    .trim()
    .split("\n")
    .map((line) => {
      const [id = "", name = "", text = ""] = line.split("|")
      return { id: Number(id), name, text }
    })

export const memories = memoriesOf(lines)
