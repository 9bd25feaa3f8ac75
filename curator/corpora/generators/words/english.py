"""Common English words, listed by us by theme: the same on every machine and under every Python."""

from __future__ import annotations

# A text, because a list would take a line for each word.
WORDS = tuple(
    """
kettle saucer teapot ladle skillet whisk colander grater apron napkin cupboard drawer pantry oven stove toaster
freezer basin faucet sponge bucket broom dustpan mop laundry hanger pillow blanket mattress quilt curtain carpet
cushion sofa armchair stool bench shelf bookcase lantern candle mirror doorbell doormat hinge knob latch keyhole
staircase railing balcony attic cellar chimney gutter rooftop gable porch garage fence hallway ceiling plaster
brick mortar tile bathtub towel soap razor comb thimble needle thread spool ribbon button zipper buckle lace
barley oatmeal porridge bread loaf muffin biscuit pancake waffle noodle dumpling lentil chickpea bean pea carrot
turnip parsnip radish beetroot potato onion garlic leek celery spinach lettuce cabbage broccoli cucumber pumpkin
pepper tomato olive caper mushroom truffle apple pear quince plum cherry apricot peach melon mango papaya banana
lemon orange grape raisin fig date walnut almond hazelnut peanut chestnut honey syrup treacle sugar salt vinegar
mustard cinnamon nutmeg ginger saffron basil thyme parsley rosemary cheese yoghurt butter cream custard pudding
pastry dough flour yeast broth stew soup salad sandwich omelette cocoa coffee lemonade cider badger otter weasel
ferret hedgehog squirrel rabbit hare beaver mouse hamster donkey pony stallion mare calf bullock heifer goat
lamb ram piglet hound terrier kitten tiger leopard lynx panther cheetah lion hyena jackal coyote fox wolf bear
panda koala kangaroo wombat camel llama alpaca moose reindeer antelope gazelle buffalo bison giraffe zebra rhino
hippo elephant gorilla monkey lemur sloth walrus seal dolphin whale shark herring salmon trout mackerel sardine
haddock halibut eel lobster shrimp oyster mussel squid octopus jellyfish starfish turtle tortoise lizard gecko
python cobra frog toad newt heron stork swan goose duckling gander turkey pheasant partridge quail pigeon dove
robin sparrow finch thrush blackbird starling magpie raven falcon kestrel buzzard eagle owl parrot canary
pelican puffin penguin ostrich flamingo beetle ladybird cricket locust moth butterfly dragonfly bumblebee wasp
hornet spider scorpion snail earthworm acorn willow poplar maple birch beech cedar spruce juniper laurel holly
ivy heather bramble thistle nettle clover daisy tulip lily orchid violet primrose foxglove lavender marigold
sunflower poppy dandelion fern moss lichen reed bamboo cactus palm orchard meadow pasture hedge thicket woodland
forest jungle prairie savanna tundra desert dune oasis canyon gorge ravine valley glen hillside ridge summit
plateau cliff ledge cavern grotto boulder pebble gravel granite marble slate basalt limestone sandstone quartz
amber crystal glacier iceberg snowdrift avalanche volcano crater island peninsula lagoon estuary delta harbour
inlet fjord creek brook stream river rapids waterfall puddle pond marsh swamp shoreline beach coral tide breaker
drizzle shower downpour thunder lightning hailstone blizzard sleet frost icicle rainbow sunrise sunset twilight
midnight noon dawn dusk morning evening autumn winter summer springtime monsoon breeze gale tempest cyclone
tornado fog mist cloud horizon comet meteor planet orbit eclipse galaxy nebula asteroid satellite telescope
moonbeam starlight calendar decade century fortnight weekend minute second hourglass sundial hammer chisel
mallet plane sander drill wrench spanner pliers pincers hacksaw sawdust anvil bellows furnace forge rivet bolt
screw washer bracket pulley lever crank axle piston valve gasket gearbox flywheel turbine engine boiler radiator
pump hose nozzle funnel siphon ladder scaffold trowel shovel spade rake hoe sickle scythe plough tractor harrow
wheelbarrow crate barrel keg cask pallet tarpaulin canvas rope twine cable chain anchor winch hook clamp vice
workbench toolbox ruler compass caliper protractor stencil brush easel palette varnish lacquer enamel paint
primer solder welder soldier magnet battery socket plug switch fuse lamp bulb torch generator dynamo bicycle
tricycle scooter tandem saddle pedal handlebar wagon carriage chariot sledge tram trolley railway locomotive
freight caboose platform station ticket luggage suitcase backpack rucksack passport visa border customs airport
runway hangar glider airship balloon parachute helicopter cockpit rudder propeller ferry barge canoe kayak raft
dinghy schooner frigate steamer tugboat lifeboat sail mast rigging keel porthole gangway wharf pier jetty
lighthouse buoy canal lock bridge viaduct tunnel highway crossroads roundabout pavement kerb milestone signpost
journey voyage detour shortcut itinerary baker butcher grocer florist jeweller tailor cobbler blacksmith
carpenter plumber mason roofer painter potter weaver miller brewer fisherman shepherd farmer gardener forester
ranger miner sailor captain pilot driver conductor porter courier postman librarian teacher professor pupil
student scholar doctor nurse surgeon dentist chemist optician lawyer judge juror notary sheriff mayor senator
minister diplomat envoy banker cashier clerk auditor broker landlord tenant neighbour stranger traveller tourist
pilgrim nomad settler pioneer inventor engineer architect designer sculptor actor dancer singer drummer fiddler
pianist composer poet novelist editor printer publisher journalist reporter photographer referee umpire
goalkeeper sprinter swimmer climber wrestler archer bakery brewery tannery foundry quarry sawmill windmill
warehouse depot factory workshop studio gallery museum theatre cinema library archive college academy nursery
kindergarten hospital clinic pharmacy courthouse prison barracks fortress castle palace manor cottage cabin shed
barn stable kennel chapel cathedral monastery abbey temple pagoda shrine cemetery market bazaar arcade boutique
tavern canteen cafeteria restaurant hotel hostel stadium arena racetrack playground fountain plaza avenue
boulevard alley courtyard suburb village hamlet township borough district province republic kingdom empire
frontier pencil eraser notebook ledger folder binder envelope parcel postage stamp letter postcard magazine
newspaper pamphlet brochure leaflet booklet atlas almanac dictionary lexicon grammar alphabet syllable vowel
consonant paragraph chapter preface appendix index glossary footnote margin headline caption signature contract
treaty charter receipt invoice voucher coupon budget salary pension mortgage dividend tariff surplus deficit
algebra geometry fraction decimal integer numeral equation theorem lemma axiom corollary polygon triangle
rectangle pentagon hexagon octagon ellipse parabola spiral cylinder pyramid sphere diameter radius angle vertex
matrix vector tensor scalar gradient integral median average quotient remainder molecule atom proton neutron
electron photon isotope element oxygen nitrogen hydrogen helium carbon sodium calcium magnesium iron copper
nickel cobalt silver platinum mercury sulphur iodine polymer alloy catalyst enzyme protein vitamin hormone
bacteria fungus virus vaccine antibody skeleton muscle tendon artery kidney liver stomach shoulder elbow wrist
finger ankle forehead eyebrow violin viola cello guitar banjo mandolin harp lute flute clarinet oboe bassoon
trumpet trombone tuba cornet bugle accordion organ piano harpsichord drum cymbal tambourine xylophone melody
harmony rhythm tempo chord octave sonata symphony concerto overture ballad anthem lullaby waltz tango polka
opera chorus soprano tenor baritone puzzle riddle domino chess bishop pawn checkers marbles hopscotch skittles
kite puppet doll rattle seesaw carousel trapeze juggler acrobat circus parade carnival festival banquet picnic
jacket overcoat cardigan sweater waistcoat blouse skirt trousers jeans shorts pyjamas stocking slipper sandal
boot sneaker mitten glove scarf bonnet beret helmet turban veil cloak cape tunic kilt kimono sash necktie collar
cuff pocket bracelet necklace pendant brooch earring locket emerald sapphire ruby diamond topaz opal pearl
ancient modern gentle clever honest humble polite cheerful gloomy sturdy fragile hollow narrow steep shallow
smooth rugged slippery crooked straight curved slender bulky tiny enormous gigantic massive ample scarce
plentiful frequent rare sudden gradual rapid sluggish steady restless silent noisy muffled shrill vivid pale
faded dusty rusty polished glossy dull bright dim transparent opaque frozen molten lukewarm chilly humid arid
fertile barren remote nearby distant local foreign familiar peculiar curious absurd sensible prudent reckless
cautious brave timid stubborn flexible loyal faithful jealous generous greedy thrifty wealthy idle diligent
weary drowsy alert hungry thirsty nimble clumsy graceful awkward elegant shabby tidy untidy crowded vacant
genuine artificial authentic secret public private annual daily weekly monthly nightly eastern western northern
southern coastal inland rural urban royal noble common vulgar solemn playful serious trivial vital urgent
optional separate mutual identical similar opposite parallel vertical diagonal circular oval square pointed
blunt jagged fluffy woolly silky leathery wooden metallic golden crimson scarlet turquoise indigo purple maroon
beige ivory charcoal gather scatter borrow lend deliver collect assemble dismantle repair polish scrub rinse
sweep sprinkle stir simmer roast knead slice chop peel grind carve engrave sketch trace outline measure weigh
compare count divide multiply subtract calculate estimate guess predict wonder ponder remember forget recall
remind explain describe narrate mention whisper mumble shout applaud celebrate mourn console encourage persuade
convince argue quarrel negotiate bargain promise refuse accept decline invite welcome greet accompany escort
follow pursue chase capture release wander stroll march gallop trot crawl creep climb descend tumble stumble
slide glide hover drift float sink plunge splash paddle swim juggle balance stretch bend twist fold unfold wrap
unwrap fasten loosen tighten untie knot weave stitch embroider mend patch decorate furnish inhabit abandon
rescue protect shelter defend attack surrender conquer govern elect appoint dismiss resign retire inherit donate
invest squander purchase exchange replace restore preserve destroy invent discover explore investigate examine
inspect observe notice ignore neglect attend participate compete practise rehearse perform imitate pretend
imagine dream yawn sneeze blink squint nod shrug kneel
""".split()  # noqa: SIM905
)
"""Nouns, adjectives and verbs of 3 to 12 letters, each once."""
